@symbols(N=a.shape[0])
def f(a: f64[N], b: f64[N]):
    s: f64
    s = 0.0
    for i in range(0, N):
        s = s + a[i]
        b[i] = s
# --- after ---
(unchanged)
