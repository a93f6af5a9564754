@symbols(N=x.shape[0])
def f(x: f64[N], n: i64) -> (python(i64), python(i64), python(i64), python(i64), python(i64)):
    k: i64
    j: i64
    i: i64
    m: i64
    c: i64
    k = -1
    j = -1
    i = -1
    m = -1
    c = 0
    for a in range(0, N):
        if x[a] > 100.0:
            break
        k = a
    for a in range(0, N):
        if x[a] > 0.0:
            continue
        j = a
    for a in range(0, N):
        x[a] = f64(i)
        i = a
    for a in range(0, N):
        if x[a] > 0.0:
            m = a
    for a in range(0, N):
        b: i64 = a * 2
        c = b
        c = b + 1
    return k, j, i, m, c
# --- after ---
(unchanged)
