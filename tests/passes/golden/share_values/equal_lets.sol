@symbols(N=u.shape[0])
def f(u: f64[N], v: f64[N]):
    with map(i=range(0, N - 1)):
        a: f64 = u[i] + u[i + 1]
        b: f64 = u[i] + u[i + 1]
        v[i] = a * b
        c: f64 = u[i] + u[i + 1]
        d: f64 = v[i] * 2.0
        v[i] = 0.0
        e: f64 = v[i] * 2.0
        v[i] = c + d + e
# --- after ---
@symbols(N=u.shape[0])
def f(u: f64[N], v: f64[N]):
    with map(i=range(0, N - 1)):
        a: f64 = u[i] + u[i + 1]
        v[i] = a * a
        d: f64 = v[i] * 2.0
        v[i] = 0.0
        e: f64 = v[i] * 2.0
        v[i] = a + d + e
