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
    for a in range(0, N):
        x[a] = 1.0
        k = a + n
    for a in range(N - 1, -1, -3):
        j = a
        x[a] = x[a] + 1.0
    for a in range(n, N, 2):
        i = a
        if x[a] > 100.0:
            raise builtins.ValueError("no")
    for a in range(0, N):
        x[a] = x[a] + 1.0
        for b in range(0, a):
            m = b
    c = 3
    for a in range(5, 5):
        c = a
    return k, j, i, m, c
# --- after ---
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
    for a in range(0, N):
        x[a] = 1.0
    if 0 < N:
        k = N - 1 + n
    for a in range(N - 1, -1, -3):
        x[a] = x[a] + 1.0
    if 0 < N:
        j = N - 3 * ((N + 2) // 3) + 2
    for a in range(n, N, 2):
        if x[a] > 100.0:
            raise builtins.ValueError("no")
    if n < N:
        i = n + 2 * ((N - n + 1) // 2) - 2
    for a in range(0, N):
        x[a] = x[a] + 1.0
        for b in range(0, a):
            pass
        if 0 < a:
            m = a - 1
    c = 3
    for a in range(5, 5):
        pass
    if False:
        c = 4
    return k, j, i, m, c
