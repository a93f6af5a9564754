@symbols(N=y.shape[0], R=first.shape[0])
def f(first: u32[R], k: i64[N], y: f64[N], x: f64[N]) -> array(f64, 1):
    out: f64[R]
    s: f64
    found: b1
    alloc(out, zero=True)
    for r in range(0, R - 1):
        begin: u32 = first[r]
        end: i64 = min(N, i64(first[r + 1]))
        found = False
        with map(i=range(0, end)):
            found = wcr.lor(k[i] < 0)
        s = 0.0
        with map(j=range(i64(begin), end)):
            s += y[j] * x[j]
        with map(q=range(min(N, i64(first[r])), N)):
            s += y[q]
        with map(p=range(0, max(0, N - r))):
            s += y[p] * x[p]
        out[r] = s if found else 0.0
    return out[0:R]
# --- after ---
@symbols(N=y.shape[0], R=first.shape[0])
def f(first: u32[R], k: i64[N], y: f64[N], x: f64[N]) -> array(f64, 1):
    out: f64[R]
    s: f64
    found: b1
    alloc(out, zero=True)
    for r in range(0, R - 1):
        begin: u32 = first[r]
        end: i64 = min(N, i64(first[r + 1]))
        found = False
        with map(i=range(0, end)), until(found.wcr("lor")), few():
            found = wcr.lor(k[i] < 0)
        s = 0.0
        with map(j=range(i64(begin), end)), blocks(1), few():
            s += y[j] * x[j]
        with map(q=range(min(N, i64(first[r])), N)), blocks(1), in_place(1):
            s += y[q]
        with map(p=range(0, max(0, N - r))), blocks(1):
            s += y[p] * x[p]
        out[r] = s if found else 0.0
    return out[0:R]
