@symbols(N=x.shape[0])
def f(x: f64[N], m: b1[N]) -> array(f64, 1):
    y: f64[:].ref("C", t, x)
    t: f64[N]
    k: i64
    bind(y, x[0:N])
    alloc(t)
    k = 0
    for i in range(0, N):
        if m[i]:
            t[k] = y[i]
            k = k + 1
    bind(y, t[0:k])
    return y[0:k]
# --- after ---
@symbols(N=x.shape[0])
def f(x: f64[N], m: b1[N]) -> array(f64, 1):
    y: f64[:].ref("C", t, x)
    t: f64[N]
    k: i64
    part: i64[pieces]
    row: i64[(pieces + 127) // 128]
    running: i64
    running_1: i64
    running_2: i64
    running_3: i64
    k_2: i64
    end: i64[()]
    bind(y, x[0:N])
    alloc(t)
    k = 0
    size: i64 = max(32, (max(N, 0) + 16383) // 16384)
    pieces: i64 = (size + max(N, 0) - 1) // size
    alloc(part)
    alloc(row)
    with map(p=range(0, pieces)), private(running):
        running = 0
        for i_2 in range(p * size, min(N, size + p * size)):
            running = running + (1 if m[i_2] else 0)
        part[p] = running
    with map(r=range(0, (pieces + 127) // 128)), private(running_1):
        running_1 = 0
        for q in range(128 * r, min(pieces, 128 * r + 128)):
            running_1 = running_1 + part[q]
        row[r] = running_1
    with map(one=range(0, 1)), private(running_2):
        running_2 = k
        for r in range(0, (pieces + 127) // 128):
            old_2: i64 = row[r]
            row[r] = running_2
            running_2 = running_2 + old_2
    with map(r=range(0, (pieces + 127) // 128)), private(running_3):
        running_3 = row[r]
        for q in range(128 * r, min(pieces, 128 * r + 128)):
            old_3: i64 = part[q]
            part[q] = running_3
            running_3 = running_3 + old_3
    alloc(end)
    with map(p=range(0, pieces)), private(k_2):
        k_2 = part[p]
        for i in range(p * size, min(N, size + p * size)):
            if m[i]:
                t[k_2] = y[i]
                k_2 = k_2 + 1
        if p + 1 == pieces:
            end[()] = k_2
    if 0 < pieces:
        k = end[()]
    bind(y, t[0:k])
    return y[0:k]
