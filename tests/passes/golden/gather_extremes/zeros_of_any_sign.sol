@symbols(N=u.shape[0])
def f(u: f64[N]) -> (python(f64), python(f64), python(f64), python(i64)):
    high: f64
    last: f64
    seen: f64
    at: i64
    high = 0.0
    last = 0.0
    seen = 0.0
    at = 0
    for i in range(0, N):
        x: f64 = u[i]
        if x > high:
            high = x
    for i_2 in range(0, N):
        y: f64 = abs(u[i_2])
        if last > y:
            pass
        else:
            last = y
    for i_3 in range(0, N):
        z: f64 = abs(u[i_3])
        if z > seen:
            seen = z
            at = i_3
    p: f64 = high
    q: f64 = last
    r: f64 = seen
    s: i64 = at
    return p, q, r, s
# --- after ---
(unchanged)
