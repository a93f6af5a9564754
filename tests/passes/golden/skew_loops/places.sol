@symbols(N=a.shape[0], M=a.shape[1])
def f(a: f64[N, M], T: i64) -> array(f64, 2):
    copy: f64[N, M]
    u: f64[:, :].ref("C", copy, a)
    v: f64[:, :].ref("C", copy, a)
    w: f64[:, :].ref("C", copy, a)
    alloc(copy)
    bind(u, copy[0:N, 0:M])
    bind(v, a[0:N, 0:M])
    for t in range(0, T):
        with map(i=range(1, N), j=range(0, M)):
            u[i, j] = v[i - 1, j]
        bind(w, u[0:N, 0:M])
        bind(u, v[0:N, 0:M])
        bind(v, w[0:N, 0:M])
    return u[0:N, 0:M]
# --- after ---
@symbols(N=a.shape[0], M=a.shape[1])
def f(a: f64[N, M], T: i64) -> array(f64, 2):
    copy: f64[N, M]
    u: f64[:, :].ref("C", copy, a)
    v: f64[:, :].ref("C", copy, a)
    w: f64[:, :].ref("C", copy, a)
    u_here: f64[:, :].ref("C", u, v)
    v_here: f64[:, :].ref("C", v, u)
    alloc(copy)
    bind(u, copy[0:N, 0:M])
    bind(v, a[0:N, 0:M])
    rows: i64 = N - 1
    steps: i64 = max(T, 1)
    all_rows: i64 = 2 * steps + max(rows, 1) + 2
    row_bytes: i64 = max(1, 8 * u.shape[1] + 8 * v.shape[1])
    steps_alone: i64 = min(steps, max(min(4, max(1, 4194304 // row_bytes - 2)), min(max(32, 16384 // (4 * row_bytes)), 1048576 // row_bytes - 2)) if (32768 if row_bytes <= 128 else 2097152) < row_bytes * rows else steps)
    rows_block: i64 = max(1, 16384 // row_bytes) if (32768 if row_bytes <= 128 else 2097152) < row_bytes * rows else all_rows
    little: b1 = T * ((N - 1) * M * 3 + 151) < 1000000
    team: i64 = 1 if little else threads(2)
    steps_shared: i64 = 1 if little else min(steps_alone, max(max(1, rows // (128 * team)), min(32, rows // (8 * team))))
    step_work: i64 = 0 if little else (151 * T + 3 * (M * N * T) - 3 * (M * T)) // steps
    pieces: i64 = 1 if little else max(1, min(rows // (2 * steps_shared), team if 16000000 <= step_work * max(steps_shared, 16) else 1))
    steps_block: i64 = steps_shared if 1 < pieces else steps_alone
    block_work: i64 = step_work * steps_block if 1 < pieces else 0
    whole: b1 = row_bytes * rows <= (32768 if row_bytes <= 128 else 2097152) and pieces <= 1
    below: i64 = 1 - steps_block
    if not whole:
        for t_block in range(0, T, steps_block):
            t_stop: i64 = min(T, steps_block + t_block)
            for phase in range(0, 2 if 1 < pieces else 1):
                with map(piece=range(phase, pieces)), schedule("threads"), when(2000000 <= block_work):
                    start: i64 = (N * piece - piece) // pieces + 1
                    left: i64 = start if phase == 0 and 0 < piece else below
                    right: i64 = ((N + N * piece - piece - 1) // pieces + 1 if piece + 1 < pieces else N + t_stop - t_block - 1) if phase == 0 else start
                    end: i64 = right if phase == 0 else start + 1
                    rows_1: i64 = rows_block if phase == 0 else all_rows
                    for w_1 in range(start, end, rows_1):
                        for t in range(t_block, t_stop):
                            s: i64 = t - t_block
                            if t % 2 == 0:
                                bind(u_here, u[0:u.shape[0], 0:u.shape[1]])
                                bind(v_here, v[0:v.shape[0], 0:v.shape[1]])
                            else:
                                bind(u_here, v[0:v.shape[0], 0:v.shape[1]])
                                bind(v_here, u[0:u.shape[0], 0:u.shape[1]])
                            first: i64 = max(max(1, left + s), w_1 - s)
                            last: i64 = min(min(N, right + (-s if phase == 0 else s)), rows_1 + w_1 - s)
                            with map(i=range(first, last), j=range(0, M)):
                                u_here[i, j] = v_here[i - 1, j]
        for t_1 in range(0, T):
            bind(w, u[0:N, 0:M])
            bind(u, v[0:N, 0:M])
            bind(v, w[0:N, 0:M])
    else:
        for t in range(0, T):
            with map(i=range(1, N), j=range(0, M)), when(False):
                u[i, j] = v[i - 1, j]
            bind(w, u[0:N, 0:M])
            bind(u, v[0:N, 0:M])
            bind(v, w[0:N, 0:M])
    return u[0:N, 0:M]
