@symbols(N=a.shape[0])
def f(a: f64[N], n: i64, x: f64):
    t: f64[N]
    u: f64[N]
    w: f64[k + 1]
    alloc(u)
    for k in range(0, n):
        alloc(t, zero=True)
        alloc(w)
        c: f64 = 2.0 * x
        d: f64 = c + a[0]
        with map(i=range(0, N)):
            t[i] += c * a[i] + d
        w[0] = t[N - 1]
        a[0] = w[0]
# --- after ---
@symbols(N=a.shape[0])
def f(a: f64[N], n: i64, x: f64):
    t: f64[N]
    u: f64[N]
    w: f64[k + 1]
    alloc(u)
    alloc(t)
    c: f64 = 2.0 * x
    for k in range(0, n):
        with map(z0=range(0, N)):
            t[z0] = 0.0
        alloc(w)
        d: f64 = c + a[0]
        with map(i=range(0, N)):
            t[i] += c * a[i] + d
        w[0] = t[N - 1]
        a[0] = w[0]
