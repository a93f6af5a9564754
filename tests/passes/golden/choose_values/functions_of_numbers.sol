@symbols(N=x.shape[0])
def f(x: f64[N], m: f64[N], h: f64) -> array(f64, 2):
    b: f64[N, N]
    r: f64
    q: f64
    alloc(b)
    with map(i=range(0, N), j=range(0, N)), private(r, q):
        d: f64 = x[j] - x[i]
        r = d * d + h
        q = r
        c: b1 = 0.0 < r
        if c:
            e: f64 = r + x[j]
            r = e ** (-1.5)
        else:
            q = 1.0
            r = q + r
        b[i, j] = r * m[i] * q if i < j else m[0]
    return b[0:N, 0:N]
# --- after ---
@symbols(N=x.shape[0])
def f(x: f64[N], m: f64[N], h: f64) -> array(f64, 2):
    b: f64[N, N]
    alloc(b)
    with map(i=range(0, N), j=range(0, N)):
        d: f64 = x[j] - x[i]
        r: f64 = d * d + h
        q: f64 = r
        c: b1 = 0.0 < r
        e: f64 = r + x[j] if c else 0.0
        r_1: f64 = e ** (-1.5) if c else r
        q_1: f64 = 1.0 if not c else q
        r_2: f64 = q_1 + r_1 if not c else r_1
        there: f64 = m[i]
        there_1: f64 = m[0]
        b[i, j] = r_2 * there * q_1 if i < j else there_1
    return b[0:N, 0:N]
