@symbols(N=a.shape[0])
def f(a: i64[N], b: f64[N]) -> (scalar(i64), scalar(f64)):
    m: i64
    x: f64
    m = 0
    x = 0.0
    for i in range(0, N):
        t: i64 = m
        m = a[i] if a[i] > t else t
    for j in range(0, N):
        u: f64 = x
        x = b[j] if b[j] > u else u
    return m, x
# --- after ---
@symbols(N=a.shape[0])
def f(a: i64[N], b: f64[N]) -> (scalar(i64), scalar(f64)):
    m: i64
    x: f64
    m = 0
    x = 0.0
    with map(i=range(0, N)):
        m = wcr.max(a[i])
    for j in range(0, N):
        u: f64 = x
        x = b[j] if b[j] > u else u
    return m, x
