@symbols(N=A.shape[0])
def f(A: f64[N, N], B: f64[N, N]):
    with map(i=range(0, N), j=range(0, i + 1)):
        A[j, i] = B[j, i]
    with map(i=range(0, N), j=range(i + 1, N)):
        A[j, i] = B[j, i]
# --- after ---
@symbols(N=A.shape[0])
def f(A: f64[N, N], B: f64[N, N]):
    with map(j=range(0, N), i=range(j, N)):
        A[j, i] = B[j, i]
    with map(j=range(1, N), i=range(0, j)):
        A[j, i] = B[j, i]
