@symbols(N=a.shape[0], K=a.shape[1])
@guards(K >= 2)
def f(a: f64[N, K]):
    c: f64[N, K]
    d: f64[N, K]
    alloc(c)
    alloc(d)
    with map(i=range(0, N)):
        c[i, 0] = a[i, 0]
        for k in range(1, K):
            d[i, k] = a[i, k] * 2.0
            c[i, k] = c[i, k - 1] + d[i, k]
        a[i, K - 1] = c[i, K - 1]
# --- after ---
@symbols(N=a.shape[0], K=a.shape[1])
@guards(K >= 2)
def f(a: f64[N, K]):
    c: f64[K]
    d: f64
    with map(i=range(0, N)), private(c, d):
        alloc(c)
        c[0] = a[i, 0]
        for k in range(1, K):
            d = a[i, k] * 2.0
            c[k] = c[k - 1] + d
        a[i, K - 1] = c[K - 1]
