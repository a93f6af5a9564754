@symbols(N=a.shape[0])
def f(a: f64[N, N]):
    s: f64
    for i in range(N - 2, -1, -1):
        for j in range(i + 1, N):
            s = a[i, j - 1]
            with map(k=range(i + 1, j)):
                s += a[i, k] * a[k, j]
            a[i, j] = s
# --- after ---
(unchanged)
