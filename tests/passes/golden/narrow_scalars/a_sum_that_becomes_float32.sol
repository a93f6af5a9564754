@symbols(n=x.shape[0])
def f(x: f32[n]) -> scalar(f32):
    s: f64
    s = 0.0
    for i in range(0, n):
        s = f64(f32(s) + x[i])
    return f32(s)
# --- after ---
@symbols(n=x.shape[0])
def f(x: f32[n]) -> scalar(f32):
    s: f32
    s = f32(0.0)
    for i in range(0, n):
        s = s + x[i]
    return s
