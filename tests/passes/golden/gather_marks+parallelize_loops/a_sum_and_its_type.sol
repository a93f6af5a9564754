@symbols(N=x.shape[0], M=x.shape[1])
def f(x: f64[N, M], y: i64[N]) -> (python(i64), python(f64)):
    s: f64
    kind: i64
    any: b1
    s = 0.0
    kind = 0
    for i in range(0, N):
        any = False
        for j in range(0, M):
            if x[i, j] > 0.5:
                s = s + x[i, j]
                kind = 1
                any = True
        if any:
            y[i] = 1
    t: i64 = kind
    u: f64 = s
    return t, u
# --- after ---
@symbols(N=x.shape[0], M=x.shape[1])
def f(x: f64[N, M], y: i64[N]) -> (python(i64), python(f64)):
    s: f64
    kind: i64
    any: b1
    kind_found: i64
    any_found: i64
    s = 0.0
    kind = 0
    kind_found = 0
    with map(i=range(0, N)), private(any, any_found):
        any = False
        any_found = 0
        with map(j=range(0, M)):
            if x[i, j] > 0.5:
                s += x[i, j]
                kind_found = wcr.max(1)
                any_found = wcr.max(1)
        if any_found != 0:
            any = True
        if any:
            y[i] = 1
    if kind_found != 0:
        kind = 1
    t: i64 = kind
    u: f64 = s
    return t, u
