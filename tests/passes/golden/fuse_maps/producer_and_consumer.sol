@symbols(N=a.shape[0])
def f(a: f64[N], b: f64[N]):
    t: f64[N]
    s: f64
    alloc(t)
    with map(i=range(0, N)):
        t[i] = a[i] + 1.0
    s = 0.0
    with map(j=range(0, N)):
        b[j] = t[j] * 2.0
    with map(k=range(0, N)):
        s += b[k]
    b[0] = s
# --- after ---
@symbols(N=a.shape[0])
def f(a: f64[N], b: f64[N]):
    t: f64[N]
    s: f64
    alloc(t)
    s = 0.0
    with map(i=range(0, N)):
        t[i] = a[i] + 1.0
        b[i] = t[i] * 2.0
        s += b[i]
    b[0] = s
