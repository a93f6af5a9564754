@symbols(N=a.shape[0])
def f(a: f64[N]) -> scalar(f64):
    for k in range(0, N):
        with map(i=range(0, N)):
            a[i] = a[i] * 0.5
        if a[k] > 10.0:
            return a[k]
    return 0.0
# --- after ---
(unchanged)
