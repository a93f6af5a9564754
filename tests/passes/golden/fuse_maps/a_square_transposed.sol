@symbols(N=a.shape[0])
def f(a: f64[N, N], b: f64[N, N]):
    t: f64[N, N]
    alloc(t)
    with map(i=range(0, N), j=range(0, N)):
        t[i, j] = a[i, j] + 1.0
    with map(i1=range(0, N), j1=range(0, N)):
        b[i1, j1] = t[j1, i1] * 2.0
# --- after ---
@symbols(N=a.shape[0])
def f(a: f64[N, N], b: f64[N, N]):
    t: f64[N, N]
    alloc(t)
    with map(i=range(0, N), j=range(0, N)):
        t[i, j] = a[i, j] + 1.0
        b[j, i] = t[i, j] * 2.0
