@symbols(N=A.shape[0], M=A.shape[1])
def f(A: f64[N, M], B: f64[N, M], C: f64[N, N]):
    with map(i=range(0, N), j=range(0, N), k=range(0, M)):
        C[i, j] += A[i, k] * A[i, k]
    with map(i=range(0, N), j=range(0, N), k=range(0, M)):
        C[i, j] += A[i, k] + B[j, k]
    with map(i=range(0, N), j=range(0, N), k=range(0, i)):
        C[i, j] += A[i, k] * B[j, k]
# --- after ---
(unchanged)
