@symbols(N=a.shape[0])
def f(a: f64[N]):
    t: f64[N]
    s: f64
    alloc(t)
    s = 0.0
    with map(i=range(0, N)):
        t[i] = a[i]
    with map(i1=range(0, N)):
        s += t[i1]
    if s < 0.0:
        raise builtins.ValueError("negative")
# --- after ---
(unchanged)
