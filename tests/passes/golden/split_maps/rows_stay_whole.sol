@symbols(N=B.shape[0], M=B.shape[1])
def f(B: f64[N, M], C: f64[N]):
    s: f64
    with map(j=range(0, N)), private(s):
        s = 0.0
        with map(k=range(0, M)):
            s += B[j, k]
        C[j] = s
# --- after ---
(unchanged)
