@symbols(N=A.shape[0], K=A.shape[1])
def f(A: f64[N, K], B: f64[K, K]):
    t: f64[K]
    for i in range(0, N):
        alloc(t)
        lib.matmul(outs=[t[0:K]], ins=[A[i, 0:K], B[0:K, 0:K]])
        with map(j=range(0, K)):
            A[i, j] = t[j]
# --- after ---
(unchanged)
