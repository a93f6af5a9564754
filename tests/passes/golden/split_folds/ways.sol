@symbols(N=a.shape[0], M=a.shape[1])
def f(a: f64[N, M], b: f64[N, M], s: f64[N], t: f64[M], r: f64[M]):
    x: f64
    total: f64
    total = 0.0
    with map(i=range(0, N), j=range(0, M)), private(x):
        x = a[i, j] * 2.0
        y: f64 = x + 1.0
        b[i, j] = y
        s[i] += y
        t[j] += x
        total += b[i, j]
        r[j] = wcr.max(y)
    return
# --- after ---
@symbols(N=a.shape[0], M=a.shape[1])
def f(a: f64[N, M], b: f64[N, M], s: f64[N], t: f64[M], r: f64[M]):
    x: f64
    total: f64
    x_1: f64
    total = 0.0
    with map(i=range(0, N), j=range(0, M)), private(x):
        x = a[i, j] * 2.0
        y: f64 = x + 1.0
        b[i, j] = y
        s[i] += y
    with map(i_1=range(0, N), j_1=range(0, M)), private(x_1):
        x_1 = a[i_1, j_1] * 2.0
        y_1: f64 = x_1 + 1.0
        t[j_1] += x_1
        r[j_1] = wcr.max(y_1)
    with map(i_2=range(0, N), j_2=range(0, M)):
        total += b[i_2, j_2]
    return
