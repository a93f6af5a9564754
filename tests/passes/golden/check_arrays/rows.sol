@symbols(M=c.shape[0], R=first.shape[0], K=x.shape[0])
def f(first: i64[R], c: i64[M], x: f64[K]) -> array(f64, 1):
    out: f64[R]
    bad: b1
    s: f64
    alloc(out, zero=True)
    for r in range(0, R - 1):
        bad = False
        with map(i=range(max(0, first[r]), min(M, first[r + 1]))):
            k: i64 = c[i]
            bad = wcr.lor(k < -K or k >= K)
        if bad:
            raise builtins.IndexError("out of bounds")
        s = 0.0
        with map(j=range(max(0, first[r]), min(M, first[r + 1]))):
            s += x[c[j]]
        out[r] = s
    return out[0:R]
# --- after ---
@symbols(M=c.shape[0], R=first.shape[0], K=x.shape[0])
def f(first: i64[R], c: i64[M], x: f64[K]) -> array(f64, 1):
    out: f64[R]
    bad: b1
    s: f64
    some_1: b1
    alloc(out, zero=True)
    if M <= 16 * max(0, R - 1):
        some_1 = False
        with map(q=range(0, M)):
            some_1 = wcr.lor(c[q] < -K or c[q] >= K)
    else:
        some_1 = True
    some: b1 = some_1
    for r in range(0, R - 1):
        bad = False
        if some:
            with map(i=range(max(0, first[r]), min(M, first[r + 1]))):
                k: i64 = c[i]
                bad = wcr.lor(k < -K or k >= K)
        if bad:
            raise builtins.IndexError("out of bounds")
        s = 0.0
        with map(j=range(max(0, first[r]), min(M, first[r + 1]))):
            s += x[c[j]]
        out[r] = s
    return out[0:R]
