@symbols(N=x.shape[0])
def f(x: f64[N], n: i64):
    r: f64[:].ref("A", x, t)
    t: f64[N]
    bind(r, x[0:N])
    for k in range(0, n):
        alloc(t)
        with map(i=range(0, N)):
            t[i] = r[i] * 2.0
        bind(r, t[0:N])
    x[0] = r[0]
# --- after ---
(unchanged)
