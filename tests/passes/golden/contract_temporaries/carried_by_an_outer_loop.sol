@symbols(N=a.shape[0])
def f(a: f64[N], n: i64):
    t: f64[N]
    u: f64[N]
    alloc(t, zero=True)
    alloc(u, zero=True)
    for q in range(0, n):
        with map(i=range(0, N)):
            t[i] = t[i] + a[i]
            u[i] = a[i]
            a[i] = t[i] + u[i]
# --- after ---
@symbols(N=a.shape[0])
def f(a: f64[N], n: i64):
    t: f64[N]
    u: f64
    alloc(t, zero=True)
    for q in range(0, n):
        with map(i=range(0, N)), private(u):
            t[i] = t[i] + a[i]
            u = a[i]
            a[i] = t[i] + u
