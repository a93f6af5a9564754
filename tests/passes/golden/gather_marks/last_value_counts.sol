@symbols(N=x.shape[0])
def f(x: f64[N]) -> (python(i64), python(i64), python(i64), python(f64)):
    a: i64
    b: i64
    c: i64
    d: f64
    a = 0
    b = 0
    c = 0
    d = 0.0
    for i in range(0, N):
        if x[i] > 0.5:
            a = 1
        else:
            a = 2
        if b == 0:
            b = 1
        if x[i] < 0.0:
            d = 0.0
        if x[i] < -1.0:
            d = -0.0
    for i in range(0, N):
        if x[i] > 0.5:
            c = 1
            break
    p: i64 = a
    q: i64 = b
    r: i64 = c
    s: f64 = d
    return p, q, r, s
# --- after ---
(unchanged)
