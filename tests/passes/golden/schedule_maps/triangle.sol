@symbols(N=A.shape[0])
def f(A: f64[N, N]):
    with map(i=range(0, N), j=range(0, i)):
        A[i, j] = 0.0
# --- after ---
@symbols(N=A.shape[0])
def f(A: f64[N, N]):
    with map(i=range(0, N), j=range(0, i)), schedule("seq", "simd"):
        A[i, j] = 0.0
