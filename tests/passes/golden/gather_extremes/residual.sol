@symbols(N=u.shape[0])
def f(u: f64[N], v: f64[N]) -> (python(i64), python(f64), python(f64)):
    err: f64
    kind: i64
    low: f64
    err = 0.0
    kind = 0
    low = 1.0
    for i in range(1, N):
        v[i] = 0.5 * (u[i - 1] + u[i])
        d: f64 = abs(v[i] - u[i])
        t: f64 = err
        less: b1 = d > t
        k: i64 = kind
        kind = 1 if (0 if less else 1 if k == 0 else 0) == 0 else 0
        err = d if less else t
        if d > 0.0 and d < low:
            low = d
    p: i64 = kind
    q: f64 = err
    r: f64 = low
    return p, q, r
# --- after ---
@symbols(N=u.shape[0])
def f(u: f64[N], v: f64[N]) -> (python(i64), python(f64), python(f64)):
    err: f64
    kind: i64
    low: f64
    greatest: f64
    least: f64
    err = 0.0
    kind = 0
    low = 1.0
    greatest = f64("-inf")
    least = f64("inf")
    for i in range(1, N):
        v[i] = 0.5 * (u[i - 1] + u[i])
        d: f64 = abs(v[i] - u[i])
        greatest = max(greatest, d if d > f64("-inf") else f64("-inf"))
        least = min(least, d if d > 0.0 and d < f64("inf") else f64("inf"))
    if greatest > err:
        err = greatest
        kind = 1
    low = least if least < low else low
    p: i64 = kind
    q: f64 = err
    r: f64 = low
    return p, q, r
