@symbols(N=a.shape[0])
def f(a: f64[N]) -> scalar(f64):
    x: f64
    x = 0.0
    for i in range(0, N):
        x = a[i] * 2.0
        a[i] = x
    return x
# --- after ---
(unchanged)
