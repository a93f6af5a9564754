@symbols(N=A.shape[0], M=A.shape[1])
def f(A: f64[N, M], C: f64[N, N]):
    for i in range(0, N):
        for k in range(0, M):
            for j in range(0, i + 1):
                C[i, j] = C[i, j] + A[i, k] * A[j, k]
# --- after ---
@symbols(N=A.shape[0], M=A.shape[1])
def f(A: f64[N, M], C: f64[N, N]):
    with map(i=range(0, N), j=range(0, i + 1), k=range(0, M)):
        C[i, j] += A[i, k] * A[j, k]
