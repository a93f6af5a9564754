@symbols(N=A.shape[0], M=A.shape[1])
def f(A: f64[N, M], b: f64[M], s: f64):
    t: f64
    t = 0.0
    with map(i=range(0, N), j=range(0, M)):
        A[i, j] = A[i, j] * s
    with map(i=range(0, N), j=range(0, M)):
        b[j] += A[i, j]
    with map(i=range(0, N)):
        t += A[i, 0]
    b[0] = t
# --- after ---
@symbols(N=A.shape[0], M=A.shape[1])
def f(A: f64[N, M], b: f64[M], s: f64):
    t: f64
    t = 0.0
    with map(i=range(0, N), j=range(0, M)), schedule("seq", "simd"):
        A[i, j] = A[i, j] * s
    with map(i=range(0, N), j=range(0, M)), schedule("seq", "simd"):
        b[j] += A[i, j]
    with map(i=range(0, N)), schedule("seq"):
        t += A[i, 0]
    b[0] = t
