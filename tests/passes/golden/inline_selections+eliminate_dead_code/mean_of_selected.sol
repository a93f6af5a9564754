@symbols(N=x.shape[0])
def f(x: f64[N], m: b1[N]) -> python(f64):
    count: i64
    k: i64
    s: f64
    t: f64[n]
    u: f64[n]
    count = 0
    with map(i=range(0, N)):
        count += i64(m[i])
    n: i64 = count
    alloc(t)
    k = 0
    for j in range(0, N):
        if m[j]:
            t[k] = x[j]
            k = k + 1
    alloc(u)
    with map(i1=range(0, n)):
        u[i1] = t[i1] * 2.0
    s = 0.0
    with map(i2=range(0, n)):
        s += u[i2] + t[i2]
    return s / f64(n)
# --- after ---
@symbols(N=x.shape[0])
def f(x: f64[N], m: b1[N]) -> python(f64):
    count: i64
    s: f64
    count = 0
    with map(i=range(0, N)):
        count += i64(m[i])
    n: i64 = count
    s = 0.0
    with map(j_1=range(0, N)):
        if m[j_1]:
            s += x[j_1] * 2.0 + x[j_1]
    return s / f64(n)
