@symbols(N=a.shape[0])
def f(a: f64[N], b: f64[N]):
    for t in range(0, 10):
        for i in range(1, N):
            a[i] = a[i] + a[i - 1] + b[i]
# --- after ---
(unchanged)
