@symbols(N=a.shape[0], M=a.shape[1])
def f(a: f64[N, M], T: i64) -> array(f64, 2):
    new: f64[N, M]
    u: f64[:, :].ref("C", new, a)
    bind(u, a[0:N, 0:M])
    for t in range(0, T):
        alloc(new)
        with map(i=range(0, N), j=range(0, M)):
            new[i, j] = u[i, j] * 2.0
        with map(i=range(1, N), j=range(0, M)):
            new[i, j] = u[i - 1, j]
        bind(u, new[0:N, 0:M])
    return u[0:N, 0:M]
# --- after ---
@symbols(N=a.shape[0], M=a.shape[1])
def f(a: f64[N, M], T: i64) -> array(f64, 2):
    new: f64[N, M]
    u: f64[:, :].ref("C", new, a, new_1)
    new_1: f64[N, M]
    u_here: f64[:, :].ref("C", u, new, new_1)
    new_here: f64[:, :].ref("C", new, new_1)
    new_2: f64[:, :].ref("C", new, new_1)
    bind(u, a[0:N, 0:M])
    steps: i64 = max(T, 1)
    all_rows: i64 = 2 * steps + max(N, 1) + 3
    row_bytes: i64 = max(1, 16 * M + 8 * u.shape[1])
    steps_alone: i64 = min(steps, max(min(4, max(1, 4194304 // row_bytes - 3)), min(max(32, 16384 // (4 * row_bytes)), 1048576 // row_bytes - 3)) if (32768 if row_bytes <= 128 else 2097152) < N * row_bytes else steps)
    rows_block: i64 = max(1, 16384 // row_bytes) if (32768 if row_bytes <= 128 else 2097152) < N * row_bytes else all_rows
    little: b1 = T * (N * M * 3 + (N - 1) * M * 3 + 101) < 1000000
    team: i64 = 1 if little else threads(2)
    steps_shared: i64 = 1 if little else min(steps_alone, max(max(1, N // (128 * team)), min(32, N // (8 * team))))
    step_work: i64 = 0 if little else (101 * T + 6 * (M * N * T) - 3 * (M * T)) // steps
    pieces: i64 = 1 if little else max(1, min(N // (2 * steps_shared + 1), team if 16000000 <= step_work * max(steps_shared, 16) else 1))
    steps_block: i64 = steps_shared if 1 < pieces else steps_alone
    block_work: i64 = step_work * steps_block if 1 < pieces else 0
    whole: b1 = N * row_bytes <= (32768 if row_bytes <= 128 else 2097152) and pieces <= 1
    below: i64 = -1 - steps_block
    if not whole:
        alloc(new)
        alloc(new_1)
        for t_block in range(0, T, steps_block):
            t_stop: i64 = min(T, steps_block + t_block)
            for phase in range(0, 2 if 1 < pieces else 1):
                with map(piece=range(phase, pieces)), schedule("threads"), when(2000000 <= block_work):
                    start: i64 = N * piece // pieces
                    left: i64 = start if phase == 0 and 0 < piece else below
                    right: i64 = ((N + N * piece) // pieces if piece + 1 < pieces else N + t_stop - t_block - 1) if phase == 0 else start
                    end: i64 = right if phase == 0 else start + 1
                    rows: i64 = rows_block if phase == 0 else all_rows
                    for w in range(start, end, rows):
                        for t in range(t_block, t_stop):
                            s: i64 = t - t_block
                            if (t if t <= 0 else (t + 1) % 2 + 1) == 0:
                                bind(u_here, u[0:u.shape[0], 0:u.shape[1]])
                                bind(new_here, new[0:N, 0:M])
                            elif (t if t <= 0 else (t + 1) % 2 + 1) == 1:
                                bind(u_here, new[0:N, 0:M])
                                bind(new_here, new_1[0:N, 0:M])
                            else:
                                bind(u_here, new_1[0:N, 0:M])
                                bind(new_here, new[0:N, 0:M])
                            first: i64 = max(max(0, left + s), w - s)
                            last: i64 = min(min(N, right + (-s if phase == 0 else s)), rows + w - s)
                            with map(i=range(first, last), j=range(0, M)):
                                new_here[i, j] = u_here[i, j] * 2.0
                            first_1: i64 = max(max(1, left + s + 1), w - s)
                            last_1: i64 = min(min(N, right + (-s if phase == 0 else s + 1)), rows + w - s)
                            with map(i=range(first_1, last_1), j=range(0, M)):
                                new_here[i, j] = u_here[i - 1, j]
        for t_1 in range(0, T):
            if t_1 % 2 == 0:
                bind(new_2, new[0:N, 0:M])
            else:
                bind(new_2, new_1[0:N, 0:M])
            bind(u, new_2[0:N, 0:M])
    else:
        for t in range(0, T):
            alloc(new)
            with map(i=range(0, N), j=range(0, M)), when(False):
                new[i, j] = u[i, j] * 2.0
            with map(i=range(1, N), j=range(0, M)), when(False):
                new[i, j] = u[i - 1, j]
            bind(u, new[0:N, 0:M])
    return u[0:N, 0:M]
