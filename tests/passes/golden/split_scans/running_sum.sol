@symbols(N=x.shape[0])
def f(x: f32[N], out: f32[N]) -> scalar(f32):
    s: f32
    s = f32(1.0)
    for i in range(0, N):
        s = s + x[i] * x[i]
        out[i] = s
    return s
# --- after ---
@symbols(N=x.shape[0])
def f(x: f32[N], out: f32[N]) -> scalar(f32):
    s: f32
    part: f64[pieces]
    row: f64[(pieces + 127) // 128]
    running: f64
    running_1: f64
    running_2: f64
    running_3: f64
    s_2: f32
    end: f32[()]
    s = f32(1.0)
    size: i64 = max(32, (max(N, 0) + 16383) // 16384)
    pieces: i64 = (size + max(N, 0) - 1) // size
    alloc(part)
    alloc(row)
    with map(p=range(0, pieces)), private(running):
        running = -0.0
        for i_2 in range(p * size, min(N, size + p * size)):
            running = running + f64(x[i_2] * x[i_2])
        part[p] = running
    with map(r=range(0, (pieces + 127) // 128)), private(running_1):
        running_1 = -0.0
        for q in range(128 * r, min(pieces, 128 * r + 128)):
            running_1 = running_1 + part[q]
        row[r] = running_1
    with map(one=range(0, 1)), private(running_2):
        running_2 = f64(s)
        for r in range(0, (pieces + 127) // 128):
            old_2: f64 = row[r]
            row[r] = running_2
            running_2 = running_2 + old_2
    with map(r=range(0, (pieces + 127) // 128)), private(running_3):
        running_3 = row[r]
        for q in range(128 * r, min(pieces, 128 * r + 128)):
            old_3: f64 = part[q]
            part[q] = running_3
            running_3 = running_3 + old_3
    alloc(end)
    with map(p=range(0, pieces)), private(s_2):
        s_2 = f32(part[p])
        for i in range(p * size, min(N, size + p * size)):
            s_2 = s_2 + x[i] * x[i]
            out[i] = s_2
        if p + 1 == pieces:
            end[()] = s_2
    if 0 < pieces:
        s = end[()]
    return s
