@symbols(N=A.shape[0], M=A.shape[1])
def f(A: f64[N, M], b: f64[M], c: f64[N, M]):
    with map(j=range(0, M), i=range(0, N)):
        b[j] += A[i, j]
    with map(j=range(0, M), i=range(0, N)):
        c[i, j] = A[i, j]
# --- after ---
@symbols(N=A.shape[0], M=A.shape[1])
def f(A: f64[N, M], b: f64[M], c: f64[N, M]):
    with map(i=range(0, N), j=range(0, M)):
        b[j] += A[i, j]
    with map(i=range(0, N), j=range(0, M)):
        c[i, j] = A[i, j]
