@symbols(N=a.shape[0], K=c.shape[0])
def f(a: f64[N], c: f64[K, N]):
    for k in range(1, K):
        with map(i=range(0, N)):
            c[k, i] = c[k - 1, i] * a[i]
# --- after ---
(unchanged)
