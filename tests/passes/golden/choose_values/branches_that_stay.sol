@symbols(N=x.shape[0])
def f(x: f64[N], k: i64[N], m: f64[4], h: f64) -> array(f64, 1):
    b: f64[N]
    r: f64
    q: f64
    alloc(b)
    with map(i=range(0, N)), private(r):
        c: b1 = 0.0 < x[i]
        if c:
            r = exp(x[i])
        b[i] = r if c else x[i]
    with map(j=range(0, N)), private(q):
        q = x[j]
        e: b1 = 0.0 < q
        if e:
            q = q * q
        g: b1 = q < h
        if g:
            b[j] = exp(q)
        b[j] = b[j] + q if j < 3 else m[k[j] % 4] + x[j]
    return b[0:N]
# --- after ---
(unchanged)
