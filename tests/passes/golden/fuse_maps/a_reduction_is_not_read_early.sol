@symbols(N=a.shape[0])
def f(a: f64[N], b: f64[N]):
    s: f64
    s = 0.0
    with map(i=range(0, N)):
        s += a[i]
    with map(j=range(0, N)):
        b[j] = a[j] / s
# --- after ---
(unchanged)
