@symbols(N=x.shape[0])
def f(x: f64[N], out: f64[N], h: i64[N]):
    s: f64
    p: f64
    s = 0.0
    for i in range(0, N):
        s = s + out[i]
        out[i] = s
    p = 1.0
    for i in range(0, N):
        p = p * x[i]
        out[i] = p
    s = 0.0
    for i in range(0, N):
        s = s + x[i]
        h[h[i]] = h[h[i]] + 1
        out[i] = s
    return
# --- after ---
(unchanged)
