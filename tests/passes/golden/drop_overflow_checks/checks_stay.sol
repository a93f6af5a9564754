@symbols(N=x.shape[0])
def f(x: i64[N], n: i64) -> (python(i64), python(i64), python(i64), python(i64)):
    c: i64
    d: i64
    e: i64
    g: i64
    c = n
    d = 0
    e = 0
    g = 0
    for i in range(0, N):
        t: i64 = c
        if add_overflows(t, 1):
            raise builtins.OverflowError("start unknown")
        c = t + 1
        u: i64 = d
        if add_overflows(u, x[i]):
            raise builtins.OverflowError("step unknown")
        d = u + x[i]
        v: i64 = e
        if add_overflows(v, 2):
            raise builtins.OverflowError("not what is assigned")
        e = v + 1
    g = n * 2
    while g < n:
        w: i64 = g
        if add_overflows(w, 1):
            raise builtins.OverflowError("start unknown, too")
        g = w + 1
    a: i64 = c
    b: i64 = d
    h: i64 = e
    k: i64 = g
    return a, b, h, k
# --- after ---
(unchanged)
