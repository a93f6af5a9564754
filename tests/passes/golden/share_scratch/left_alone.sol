@symbols(N=A.shape[0], M=A.shape[1])
def f(A: f64[N, M], out: f64[M]):
    t: f64[M]
    with map(i=range(0, N)), private(t):
        alloc(t)
        with map(j=range(0, M)):
            t[j] = A[i, j] * 2.0
        with map(k=range(0, M)):
            out[k] += t[M - 1 - k]
    return
# --- after ---
(unchanged)
