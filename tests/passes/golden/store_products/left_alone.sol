@symbols(N=A.shape[0])
def f(A: f64[N, N], B: f64[N, N], C: f64[N, N], D: f32[N, N], x: f64[N]):
    t: f64[N, N]
    u: f64[N, N]
    v: f64[N, N]
    w: f64[N, N]
    y: f64[N]
    alloc(t)
    alloc(u)
    alloc(v)
    alloc(w)
    alloc(y)
    lib.matmul(outs=[t[0:N, 0:N]], ins=[A[0:N, 0:N], C[0:N, 0:N]])
    with map(i=range(0, N), j=range(0, N)):
        C[i, j] = t[i, j]
    lib.matmul(outs=[u[0:N, 0:N]], ins=[A[0:N, 0:N], B[0:N, 0:N]])
    with map(i=range(0, N), j=range(0, N)):
        C[j, i] = u[i, j]
    lib.matmul(outs=[v[0:N, 0:N]], ins=[A[0:N, 0:N], B[0:N, 0:N]])
    with map(i=range(0, N)):
        x[i] = x[i] + C[i, 0]
    with map(i=range(0, N), j=range(0, N)):
        C[i, j] = v[i, j]
    lib.matmul(outs=[w[0:N, 0:N]], ins=[A[0:N, 0:N], B[0:N, 0:N]])
    with map(i=range(0, N), j=range(0, N)):
        D[i, j] = f32(w[i, j])
    lib.matmul(outs=[y[0:N]], ins=[A[0:N, 0:N], x[0:N]])
    with map(i=range(0, N)):
        C[i, 1] = y[i]
# --- after ---
(unchanged)
