@symbols(N=a.shape[0])
def f(a: f64[N]):
    for k in range(1, N):
        a[k] = a[k] + a[k - 1]
    return
# --- after ---
(unchanged)
