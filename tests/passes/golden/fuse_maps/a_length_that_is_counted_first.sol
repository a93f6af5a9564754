@symbols(N=a.shape[0])
def f(a: f64[N], b: f64[N]) -> array(f64, 1):
    t: f64[n]
    c: i64
    b2: f64[N]
    alloc(b2)
    with map(i=range(0, N)):
        b2[i] = a[i] + 1.0
    c = 0
    with map(i_2=range(0, N)):
        c += 1 if a[i_2] > 0.0 else 0
    n: i64 = c
    alloc(t)
    with map(i_3=range(0, N)):
        b[i_3] = b2[i_3]
    with map(i_4=range(0, n)):
        t[i_4] = 2.0
    return t[0:n]
# --- after ---
@symbols(N=a.shape[0])
def f(a: f64[N], b: f64[N]) -> array(f64, 1):
    t: f64[n]
    c: i64
    b2: f64[N]
    alloc(b2)
    c = 0
    with map(i=range(0, N)):
        b2[i] = a[i] + 1.0
        c += 1 if a[i] > 0.0 else 0
        b[i] = b2[i]
    n: i64 = c
    alloc(t)
    with map(i_4=range(0, n)):
        t[i_4] = 2.0
    return t[0:n]
