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
    lib.matmul(outs=[d], ins=[x[0:M], x[M - 1:-1:-1]])
    e = False
    with map(k=range(0, N)):
        e = wcr.lor(p[k] and q[k])
    with map(i_1=range(0, N)):
        y[i_1] = 0.0
    with map(i_1=range(0, N), k_1=range(0, M)):
        y[i_1] += A[i_1, k_1] * x[k_1]
    with map(i_2=range(0, M)):
        x[i_2] = 0.0
    with map(k_2=range(0, N), i_2=range(0, M)):
        x[i_2] += y[k_2] * A[k_2, i_2]
    lib.matmul(outs=[C[0:N, 0:N]], ins=[A[0:N, 0:M], A[0:N, 0:M].axes(1, 0)])
