@symbols(N=a.shape[0])
def f(a: f64[N], b: f64[N]):
    t: f64[N]
    u: f64[N]
    s: f64
    alloc(t)
    alloc(u)
    n: f64 = a[0] + 1.0
    with map(i=range(0, N)):
        t[i] = a[i]
        u[i] = t[i] * n
    s = 0.0
    for k in range(0, N):
        if a[k] > 0.0:
            s = s + u[k]
    b[0] = 1.0
# --- after ---
@symbols(N=a.shape[0])
def f(a: f64[N], b: f64[N]):
    b[0] = 1.0
