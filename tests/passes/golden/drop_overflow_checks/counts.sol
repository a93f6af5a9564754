@symbols(N=x.shape[0], M=x.shape[1])
@guards(N <= 2147483647)
def f(x: f64[N, M], small: u8[N, M]) -> (python(i64), python(i64), python(i64)):
    c: i64
    d: i64
    e: i64
    c = 0
    d = 5
    for i in range(0, N):
        for j in range(0, M):
            if x[i, j] > 0.5:
                t: i64 = c
                if add_overflows(t, 1):
                    raise builtins.OverflowError("too large")
                c = t + 1
        u: i64 = d
        if sub_overflows(u, i):
            raise builtins.OverflowError("too large")
        d = u - i
    e = 0
    for i in range(0, N):
        e = 0
        for j in range(0, M):
            v: i64 = e
            if add_overflows(v, i64(small[i, j])):
                raise builtins.OverflowError("too large")
            e = v + i64(small[i, j])
    while e < 1000:
        y: i64 = e
        if add_overflows(y, 100):
            raise builtins.OverflowError("too large")
        e = y + 100
    r: i64 = c
    s: i64 = d
    w: i64 = e
    return r, s, w
# --- after ---
@symbols(N=x.shape[0], M=x.shape[1])
@guards(N <= 2147483647)
def f(x: f64[N, M], small: u8[N, M]) -> (python(i64), python(i64), python(i64)):
    c: i64
    d: i64
    e: i64
    c = 0
    d = 5
    for i in range(0, N):
        for j in range(0, M):
            if x[i, j] > 0.5:
                t: i64 = c
                c = t + 1
        u: i64 = d
        d = u - i
    e = 0
    for i in range(0, N):
        e = 0
        for j in range(0, M):
            v: i64 = e
            e = v + i64(small[i, j])
    while e < 1000:
        y: i64 = e
        if add_overflows(y, 100):
            raise builtins.OverflowError("too large")
        e = y + 100
    r: i64 = c
    s: i64 = d
    w: i64 = e
    return r, s, w
