@symbols(N=a.shape[0], M=a.shape[1])
def f(a: f64[N, M], b: f64[N, M], c: f64[N].alias("g"), d: f64[N].alias("g"), idx: i64[N], T: i64):
    s: f64
    for t in range(0, T):  # any row
        with map(i=range(0, N), j=range(0, M)):
            b[i, j] = a[idx[i], j]
        with map(i=range(0, N), j=range(0, M)):
            a[i, j] = b[i, j]
    for t in range(0, T):  # a number between the sweeps
        with map(i=range(1, N), j=range(0, M)):
            b[i, j] = a[i - 1, j]
        x: f64 = b[1, 1]
        with map(i=range(1, N), j=range(0, M)):
            a[i, j] = b[i - 1, j] * x
    for t in range(0, T):  # a number that is kept
        with map(i=range(1, N), j=range(0, M)):
            b[i, j] = a[i - 1, j]
        s = 1.0
        with map(i=range(1, N), j=range(0, M)):
            a[i, j] = b[i - 1, j]
    for t in range(0, T):  # one memory, perhaps
        with map(i=range(1, N)):
            c[i] = d[i - 1]
        with map(i=range(1, N)):
            d[i] = c[i - 1]
    for t in range(0, T):  # other rows in each step
        with map(i=range(t, N - 1), j=range(0, M)):
            b[i, j] = a[i + 1, j]
        with map(i=range(1, N), j=range(0, M)):
            a[i, j] = b[i - 1, j]
    for t in range(0, T):  # each point by itself
        with map(i=range(0, N), j=range(0, M)):
            a[i, j] = a[i, j] * 2.0
    for t in range(0, T):  # sums over rows
        with map(i=range(1, N), j=range(0, M)):
            b[i, j] = a[i - 1, j]
        with map(i=range(1, N), j=range(0, M)):
            a[0, j] += b[i, j]
    for t in range(0, T):  # numbers that a later statement takes
        with map(i=range(1, N), j=range(0, M)):
            a[i, j] = a[i - 1, j] * 2.0
        p: f64 = b[1, 1]
        q: f64 = b[0, 0]
        b[0, 0] = p
        b[1, 1] = q
# --- after ---
(unchanged)
