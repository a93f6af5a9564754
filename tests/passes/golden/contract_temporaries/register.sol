@symbols(N=a.shape[0])
def f(a: f64[N], b: f64[N]):
    t: f64[N]
    alloc(t)
    with map(i=range(0, N)):
        t[i] = a[i] + 1.0
        b[i] = t[i] * t[i]
# --- after ---
@symbols(N=a.shape[0])
def f(a: f64[N], b: f64[N]):
    t: f64
    with map(i=range(0, N)), private(t):
        t = a[i] + 1.0
        b[i] = t * t
