@symbols(N=A.shape[0], M=A.shape[1], K=A.shape[2])
def f(A: f64[N, M, K], B: f64[K, K], C: f64[N, M, 1, K], D: f64[M, K]):
    with map(i=range(0, N), j=range(0, M)):
        lib.matmul(outs=[C[i, j, 0:1, 0:K]], ins=[A[i, j, 0:K].axes(-1, 2), B[0:K, 0:K]])
    with map(i=range(1, M)):
        lib.matmul(outs=[D[i, 0:K]], ins=[B[0:K, 0:K], A[0, i, 0:K]])
# --- after ---
@symbols(N=A.shape[0], M=A.shape[1], K=A.shape[2])
def f(A: f64[N, M, K], B: f64[K, K], C: f64[N, M, 1, K], D: f64[M, K]):
    with map(i=range(0, N)):
        lib.matmul(outs=[C[i, 0:M, 0, 0:K].axes(1, 3)], ins=[A[i, 0:M, 0:K].axes(1, 2), B[0:K, 0:K]])
    lib.matmul(outs=[D[1:max(M, 1), 0:K].axes(0, 1)], ins=[A[0, 1:max(M, 1), 0:K].axes(1, 2), B[0:K, 0:K].axes(1, 0)])
