@symbols(N=x.shape[0], M=x.shape[1])
def f(x: f64[N, M], y: f64[N, M], m: b1[N, M]):
    k: i64
    q: i64
    k2: i64
    count: i64
    t: f64[n]
    u: f64[n]
    w: f64[n]
    count = 0
    with map(i=range(0, N), i_1=range(0, M)):
        count += i64(m[i, i_1])
    n: i64 = count
    alloc(t)
    k = 0
    for j in range(0, N):
        for j1 in range(0, M):
            if m[j, j1]:
                t[k] = x[j, j1]
                k = k + 1
    alloc(w)
    k2 = 0
    for p in range(0, N):
        for p1 in range(0, M):
            if m[p, p1]:
                w[k2] = y[p, p1]
                k2 = k2 + 1
    alloc(u)
    with map(i1=range(0, n)):
        z: f64 = t[i1 * (0 if n == 1 else 1)]
        u[i1] = z * z + w[i1]
    q = 0
    for h in range(0, N):
        for h1 in range(0, M):
            if m[h, h1]:
                x[h, h1] = u[q]
                q = q + (0 if n == 1 else 1)
# --- after ---
@symbols(N=x.shape[0], M=x.shape[1])
def f(x: f64[N, M], y: f64[N, M], m: b1[N, M]):
    with map(h_1=range(0, N), h1_1=range(0, M)):
        if m[h_1, h1_1]:
            x[h_1, h1_1] = x[h_1, h1_1] * x[h_1, h1_1] + y[h_1, h1_1]
