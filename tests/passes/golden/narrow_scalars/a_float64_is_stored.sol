@symbols(n=x.shape[0])
def f(x: f64[n], y: f32[n]) -> scalar(f32):
    s: f64
    s = 0.0
    for i in range(0, n):
        s = f64(f32(s) + y[i])
        s = x[i]
    return f32(s)
# --- after ---
(unchanged)
