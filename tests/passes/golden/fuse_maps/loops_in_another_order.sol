@symbols(N=a.shape[0], M=a.shape[1], K=w.shape[0])
def f(a: f64[N, M], b: f64[M, N], w: f64[K], c: f64[M, N, K]):
    t: f64[N, M]
    alloc(t)
    with map(i=range(0, N), j=range(0, M)):
        t[i, j] = a[i, j] + 1.0
    with map(j1=range(0, M), i1=range(0, N)):
        b[j1, i1] = t[i1, j1] * 2.0
    with map(j2=range(0, M), i2=range(0, N), k=range(0, K)):
        c[j2, i2, k] = t[i2, j2] * w[k]
# --- after ---
@symbols(N=a.shape[0], M=a.shape[1], K=w.shape[0])
def f(a: f64[N, M], b: f64[M, N], w: f64[K], c: f64[M, N, K]):
    t: f64[N, M]
    alloc(t)
    with map(i=range(0, N), j=range(0, M)):
        t[i, j] = a[i, j] + 1.0
        b[j, i] = t[i, j] * 2.0
        with map(k=range(0, K)):
            c[j, i, k] = t[i, j] * w[k]
