@symbols(N=a.shape[0])
def f(a: f64[N], idx: i64[N], h: f64[N]):
    for k in range(0, N):
        with map(i=range(0, N)):
            h[idx[i]] += a[k]
    return
# --- after ---
(unchanged)
