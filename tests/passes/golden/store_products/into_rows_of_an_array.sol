@symbols(N=A.shape[0], M=A.shape[1], K=B.shape[1])
def f(A: f64[N, M], B: f64[M, K], x: f64[K], C: f64[5, N + 1, K], y: f64[M]):
    t: f64[N, K]
    u: f64[M]
    alloc(t)
    alloc(u)
    lib.matmul(outs=[t[0:N, 0:K]], ins=[A[0:N, 0:M], B[0:M, 0:K]])
    lib.matmul(outs=[u[0:M]], ins=[B[0:M, 0:K], x[0:K]])
    with map(i=range(0, N), j=range(0, K)):
        C[2, i + 1, j] = t[i, j]
    with map(i=range(0, M)):
        y[i] = u[i]
# --- after ---
@symbols(N=A.shape[0], M=A.shape[1], K=B.shape[1])
def f(A: f64[N, M], B: f64[M, K], x: f64[K], C: f64[5, N + 1, K], y: f64[M]):
    t: f64[N, K]
    u: f64[M]
    alloc(t)
    alloc(u)
    lib.matmul(outs=[C[2, 1:N + 1, 0:K]], ins=[A[0:N, 0:M], B[0:M, 0:K]])
    lib.matmul(outs=[y[0:M]], ins=[B[0:M, 0:K], x[0:K]])
