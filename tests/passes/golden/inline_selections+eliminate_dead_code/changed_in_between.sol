@symbols(N=x.shape[0])
def f(x: f64[N], m: b1[N]):
    count: i64
    k: i64
    s: f64
    t: f64[n]
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
    x[0] = 7.0
    s = 0.0
    with map(i2=range(0, n)):
        s += t[i2]
    x[1] = s
# --- after ---
(unchanged)
