@symbols(N=A.shape[0], M=A.shape[1])
def f(A: f64[N, M], x: f64[M], y: f64[N], C: f64[N, N], p: b1[N], q: b1[N]):
    d: f64
    e: b1
    lib.matmul(outs=[d], ins=[x[0:M], x[M - 1:-1:-1]])
    lib.matmul(outs=[e], ins=[p[0:N], q[0:N]])
    lib.matmul(outs=[y[0:N]], ins=[A[0:N, 0:M], x[0:M]])
    lib.matmul(outs=[x[0:M]], ins=[y[0:N], A[0:N, 0:M]])
    lib.matmul(outs=[C[0:N, 0:N]], ins=[A[0:N, 0:M], A[0:N, 0:M].axes(1, 0)])
# --- after ---
@symbols(N=A.shape[0], M=A.shape[1])
def f(A: f64[N, M], x: f64[M], y: f64[N], C: f64[N, N], p: b1[N], q: b1[N]):
    d: f64
    e: b1
    d = 0.0
    with map(k=range(0, M)):
        d += x[k] * x[M - k - 1]
    e = False
    with map(k_1=range(0, N)):
        e = wcr.lor(p[k_1] and q[k_1])
    with map(i_2=range(0, N)):
        y[i_2] = 0.0
    with map(i_2=range(0, N), k_2=range(0, M)):
        y[i_2] += A[i_2, k_2] * x[k_2]
    with map(i_3=range(0, M)):
        x[i_3] = 0.0
    with map(k_3=range(0, N), i_3=range(0, M)):
        x[i_3] += y[k_3] * A[k_3, i_3]
    lib.matmul(outs=[C[0:N, 0:N]], ins=[A[0:N, 0:M], A[0:N, 0:M].axes(1, 0)])
