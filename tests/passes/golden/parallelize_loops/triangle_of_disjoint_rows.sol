@symbols(N=A.shape[0])
@guards(A.shape[1] == N)
def f(A: f64[N, N]):
    for i in range(0, N):
        for j in range(i, N):
            for k in range(0, i):
                A[i, j] = A[i, j] - A[i, k] * A[k, j]
# --- after ---
@symbols(N=A.shape[0])
@guards(A.shape[1] == N)
def f(A: f64[N, N]):
    for i in range(0, N):
        with map(j=range(i, N)):
            with map(k=range(0, i)):
                A[i, j] += -(A[i, k] * A[k, j])
