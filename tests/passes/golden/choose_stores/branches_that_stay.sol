@symbols(N=x.shape[0])
def f(x: f64[N], d: c128[N], a: c128[24], z: c128[N], h: f64) -> array(c128, 1):
    y: c128[N]
    alloc(y, zero=True)
    with map(i=range(0, N)):
        c: b1 = abs(z[i]) < h
        if c:
            z[i] = z[i] * d[i]
    with map(j=range(0, N)):
        e: b1 = x[j] < h
        if e:
            y[j] = d[j] * d[j]
    with map(q=range(0, N)):
        y[q] = a[q] * d[q] if q < 24 else d[q]
    return y[0:N]
# --- after ---
(unchanged)
