@symbols(N=A.shape[0], M=C.shape[0])
def f(A: f64[N], C: f64[M], n: i64):
    s: f64
    with map(j=range(0, M)), private(s):
        s = 0.0
        with map(k=range(0, N)):
            s += A[k] * f64(j)
        C[j] = s
# --- after ---
(unchanged)
