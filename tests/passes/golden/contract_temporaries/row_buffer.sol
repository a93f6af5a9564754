@symbols(N=a.shape[0], M=a.shape[1])
def f(a: f64[N, M], b: f64[N, M]):
    t: f64[N, M]
    s: f64[N]
    alloc(t)
    alloc(s, zero=True)
    with map(i=range(0, N)):
        with map(j=range(0, M)):
            t[i, j] = a[i, j] + 1.0
            s[i] += t[i, j]
        with map(k=range(0, M)):
            b[i, k] = t[i, k] / s[i]
# --- after ---
@symbols(N=a.shape[0], M=a.shape[1])
def f(a: f64[N, M], b: f64[N, M]):
    t: f64[M]
    s: f64
    with map(i=range(0, N)), private(t, s):
        alloc(t)
        s = 0.0
        with map(j=range(0, M)):
            t[j] = a[i, j] + 1.0
            s += t[j]
        with map(k=range(0, M)):
            b[i, k] = t[k] / s
