@symbols(N=A.shape[0], M=A.shape[1])
def f(A: f64[N, M], B: f64[N, M], x: f64[M], y: f64[N], z: f64[N], C: f64[N, N], p: b1[N], q: b1[N]):
    d: f64
    e: b1
    lib.matmul(outs=[d], ins=[x[0:M], x[M - 1:-1:-1]])
    lib.matmul(outs=[e], ins=[p[0:N], q[0:N]])
    lib.matmul(outs=[z[0:N]], ins=[A[0:N, 0:M], x[0:M]])
    with map(i=range(0, N), j=range(0, M)):
        B[i, j] = 2.0 * A[i, j]
    lib.matmul(outs=[y[0:N]], ins=[B[0:N, 0:M], x[0:M]])
    lib.matmul(outs=[x[0:M]], ins=[y[0:N], B[0:N, 0:M]])
    lib.matmul(outs=[C[0:N, 0:N]], ins=[A[0:N, 0:M], A[0:N, 0:M].axes(1, 0)])
# --- after ---
@symbols(N=A.shape[0], M=A.shape[1])
def f(A: f64[N, M], B: f64[N, M], x: f64[M], y: f64[N], z: f64[N], C: f64[N, N], p: b1[N], q: b1[N]):
    d: f64
    e: b1
    lib.matmul(outs=[d], ins=[x[0:M], x[M - 1:-1:-1]])
    e = False
    with map(k=range(0, N)):
        e = wcr.lor(p[k] and q[k])
    lib.matmul(outs=[z[0:N]], ins=[A[0:N, 0:M], x[0:M]])
    with map(i=range(0, N), j=range(0, M)):
        B[i, j] = 2.0 * A[i, j]
    with map(i_2=range(0, N)):
        y[i_2] = 0.0
    with map(i_2=range(0, N), k_1=range(0, M)):
        y[i_2] += B[i_2, k_1] * x[k_1]
    with map(i_3=range(0, M)):
        x[i_3] = 0.0
    with map(k_2=range(0, N), i_3=range(0, M)):
        x[i_3] += y[k_2] * B[k_2, i_3]
    lib.matmul(outs=[C[0:N, 0:N]], ins=[A[0:N, 0:M], A[0:N, 0:M].axes(1, 0)])
