@symbols(N=a.shape[0])
def f(a: f64[N], k: i64) -> array(f64, 1):
    t: f64[m]
    n: i64 = k * k + 1
    m: i64 = k * k + 1
    alloc(t)
    with map(i=range(0, n)):
        t[i] = a[0]
    return t[0:m]
# --- after ---
@symbols(N=a.shape[0])
def f(a: f64[N], k: i64) -> array(f64, 1):
    t: f64[n]
    n: i64 = k * k + 1
    alloc(t)
    with map(i=range(0, n)):
        t[i] = a[0]
    return t[0:n]
