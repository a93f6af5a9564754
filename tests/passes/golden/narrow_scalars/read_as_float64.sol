@symbols(n=x.shape[0])
def f(x: f32[n]) -> scalar(f64):
    s: f64
    s = 0.0
    for i in range(0, n):
        s = f64(f32(s) + x[i])
    return s
# --- after ---
(unchanged)
