@symbols(N=a.shape[0])
def f(a: f64[N], n: i64):
    t: f64[N]
    u: f64[N]
    w: f64[N]
    alloc(t, zero=True)
    alloc(w, zero=True)
    with map(i=range(0, N)):
        if a[i] > 0.0:
            t[i] = 1.0 / a[i]
        a[i] = t[i]
    for q in range(0, n):
        with map(j=range(0, N)):
            if a[j] > 0.5:
                w[j] = a[j]
            a[j] = a[j] + w[j]
    alloc(u)
    with map(k=range(0, N)):
        if a[k] > 0.0:
            u[k] = a[k]
        else:
            u[k] = -a[k]
        a[k] = u[k]
# --- after ---
@symbols(N=a.shape[0])
def f(a: f64[N], n: i64):
    t: f64
    u: f64
    w: f64[N]
    alloc(w, zero=True)
    with map(i=range(0, N)), private(t):
        t = 0.0
        if a[i] > 0.0:
            t = 1.0 / a[i]
        a[i] = t
    for q in range(0, n):
        with map(j=range(0, N)):
            if a[j] > 0.5:
                w[j] = a[j]
            a[j] = a[j] + w[j]
    with map(k=range(0, N)), private(u):
        if a[k] > 0.0:
            u = a[k]
        else:
            u = -a[k]
        a[k] = u
