@symbols(N=A.shape[0])
def f(A: f64[N, N]):
    with map(i=range(0, N)):
        with map(j=range(0, i)):
            A[i, j] = 0.0
    with map(i=range(0, N)):
        A[i, i] = 1.0
        with map(j=range(0, i)):
            A[i, j] = 2.0
# --- after ---
@symbols(N=A.shape[0])
def f(A: f64[N, N]):
    with map(i=range(0, N), j=range(0, i)):
        A[i, j] = 0.0
    with map(i=range(0, N)):
        A[i, i] = 1.0
        with map(j=range(0, i)):
            A[i, j] = 2.0
