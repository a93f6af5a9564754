@symbols(N=c.shape[0], K=c.shape[1])
def f(c: f64[N, K]):
    for k in range(1, K):
        with map(i=range(0, N - 1)):
            c[i, k] = c[i + 1, k - 1] * 2.0
# --- after ---
(unchanged)
