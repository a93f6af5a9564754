@symbols(N=A.shape[0], K=A.shape[1])
def f(A: f64[N, K], B: f64[K, N]):
    copy(B[1:K, 2], A[0, 0:K - 1])
    copy(A[0:N, 0:K], B[0:K, 0:N].axes(1, 0))
# --- after ---
@symbols(N=A.shape[0], K=A.shape[1])
def f(A: f64[N, K], B: f64[K, N]):
    with map(c0=range(0, max(0, K - 1))):
        B[c0 + 1, 2] = A[0, c0]
    with map(c0_1=range(0, N), c0_2=range(0, K)):
        A[c0_1, c0_2] = B[c0_2, c0_1]
