@symbols(N=A.shape[0])
def f(A: f64[N, N], b: f64[N]):
    for i in range(0, N):
        for j in range(i + 1, N):
            A[i, j] = b[i] * b[j]
            A[j, i] = b[i] * b[j]
# --- after ---
@symbols(N=A.shape[0])
def f(A: f64[N, N], b: f64[N]):
    with map(i=range(0, N)):
        with map(j=range(i + 1, N)):
            A[i, j] = b[i] * b[j]
            A[j, i] = b[i] * b[j]
