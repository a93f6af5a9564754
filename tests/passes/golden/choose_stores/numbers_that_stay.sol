@symbols(N=x.shape[0])
def f(x: f64[N], d: c128[N], h: f64) -> array(c128, 1):
    z: c128[N]
    k: i64[N]
    alloc(z)
    alloc(k)
    with map(i=range(0, N)):
        z[i] = c128(x[i]) + d[i]
        k[i] = 0
    for n in range(0, 5):
        with map(j=range(0, N)):
            c: b1 = abs(z[j]) < h
            if c:
                k[j] = n
                z[j] = z[j] * z[j] + d[j]
    with map(q=range(0, N)):
        z[q] = z[q] * d[q] if x[q] < h else z[q] + c128(f64(k[q]))
    return z[0:N]
# --- after ---
@symbols(N=x.shape[0])
def f(x: f64[N], d: c128[N], h: f64) -> array(c128, 1):
    z: c128[N]
    k: i64[N]
    alloc(z)
    alloc(k)
    with map(i=range(0, N)):
        z[i] = c128(x[i]) + d[i]
        k[i] = 0
    for n in range(0, 5):
        with map(j=range(0, N)):
            c: b1 = abs(z[j]) < h
            if c:
                k[j] = n
            new: c128 = z[j] * z[j] + d[j]
            old: c128 = z[j]
            z[j] = new if c else old
    with map(q=range(0, N)):
        new_1: c128 = z[q] * d[q]
        old_1: c128 = z[q] + c128(f64(k[q]))
        z[q] = new_1 if x[q] < h else old_1
    return z[0:N]
