@symbols(N=A.shape[0], M=A.shape[1])
def f(A: f64[N, M], y: f64[M]):
    with map(i=range(0, N), j=range(0, M)):
        y[j] += A[i, j]
# --- after ---
(unchanged)
