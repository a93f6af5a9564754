@symbols(N=a.shape[0], M=a.shape[1], K=g.shape[0])
def f(a: f64[N, M], b: f64[N, M], g: f64[K]):
    for t in range(0, K):
        x: f64 = g[t]
        with map(j=range(0, M)):
            a[0, j] = x
            a[N - 1, j] = a[N - 2, j]
        with map(i=range(1, N - 1), j=range(0, M)):
            b[i, j] = a[i - 1, j] + a[i + 1, j]
        y: f64 = b[1, 1]
        b[0, 0] = y
        with map(i=range(0, N), j=range(0, M)):
            a[i, j] = b[i, j]
# --- after ---
@symbols(N=a.shape[0], M=a.shape[1], K=g.shape[0])
def f(a: f64[N, M], b: f64[N, M], g: f64[K]):
    first_row: i64 = min(0, N - 2)
    last_row: i64 = max(N, 2)
    rows: i64 = last_row - first_row
    steps: i64 = max(K, 1)
    all_rows: i64 = 5 * steps + max(rows, 1) + 8
    row_bytes: i64 = max(1, 16 * M)
    steps_alone: i64 = min(steps, max(min(4, max(1, 4194304 // row_bytes // 2 - 4)), min(max(32, 16384 // (8 * row_bytes)), 1048576 // row_bytes // 2 - 4)) if (32768 if row_bytes <= 64 else 2097152) < row_bytes * rows else steps)
    rows_block: i64 = max(1, 16384 // row_bytes) if (32768 if row_bytes <= 64 else 2097152) < row_bytes * rows else all_rows
    little: b1 = K * (M * 4 + (N - 2) * M * 6 + N * M * 2 + 4) < 1000000
    team: i64 = 1 if little else threads(2)
    steps_shared: i64 = 1 if little else min(steps_alone, max(max(1, rows // (320 * team)), min(32, rows // (20 * team))))
    step_work: i64 = 0 if little else (4 * K + 8 * (K * M * N) - 8 * (K * M)) // steps
    pieces: i64 = 1 if little else max(1, min(rows // (5 * steps_shared + 3), team if 16000000 <= step_work * max(steps_shared, 16) else 1))
    steps_block: i64 = steps_shared if 1 < pieces else steps_alone
    block_work: i64 = step_work * steps_block if 1 < pieces else 0
    whole: b1 = row_bytes * rows <= (32768 if row_bytes <= 64 else 2097152) and pieces <= 1
    below: i64 = first_row - 3 * steps_block - 3
    if not whole:
        for t_block in range(0, K, steps_block):
            t_stop: i64 = min(K, steps_block + t_block)
            for phase in range(0, 2 if 1 < pieces else 1):
                with map(piece=range(phase, pieces)), schedule("threads"), when(2000000 <= block_work):
                    start: i64 = first_row + (last_row * piece - first_row * piece) // pieces
                    left: i64 = start if phase == 0 and 0 < piece else below
                    right: i64 = (first_row + (last_row + last_row * piece - first_row - first_row * piece) // pieces if piece + 1 < pieces else last_row + 2 * t_stop - 2 * t_block) if phase == 0 else start
                    end: i64 = right if phase == 0 else start + 1
                    rows_1: i64 = rows_block if phase == 0 else all_rows
                    for w in range(start, end, rows_1):
                        for t in range(t_block, t_stop):
                            s: i64 = t - t_block
                            x: f64 = g[t]
                            first: i64 = max(max(0, left + 3 * s), w - 2 * s)
                            last: i64 = min(min(1, right + (-(2 * s) if phase == 0 else 3 * s)), rows_1 + w - 2 * s)
                            with map(row=range(first, last), j=range(0, M)):
                                a[0, j] = x
                            first_1: i64 = max(max(left + 3 * s, w - 2 * s - 1), N - 2)
                            last_1: i64 = min(min(right + (-1 - 2 * s if phase == 0 else 3 * s), rows_1 + w - 2 * s - 1), N - 1)
                            with map(row_1=range(first_1, last_1), j=range(0, M)):
                                a[N - 1, j] = a[N - 2, j]
                            first_2: i64 = max(max(1, left + 3 * s + 2), w - 2 * s - 1)
                            last_2: i64 = min(min(right + (-1 - 2 * s if phase == 0 else 3 * s + 2), rows_1 + w - 2 * s - 1), N - 1)
                            with map(i=range(first_2, last_2), j=range(0, M)):
                                b[i, j] = a[i - 1, j] + a[i + 1, j]
                            first_3: i64 = max(max(1, left + 3 * s + 3), w - 2 * s - 1)
                            last_3: i64 = min(min(2, right + (-1 - 2 * s if phase == 0 else 3 * s + 3)), rows_1 + w - 2 * s - 1)
                            with map(row_2=range(first_3, last_3)):
                                y: f64 = b[1, 1]
                                b[0, 0] = y
                            first_4: i64 = max(max(0, left + 3 * s + 3), w - 2 * s - 2)
                            last_4: i64 = min(min(N, right + (-2 - 2 * s if phase == 0 else 3 * s + 3)), rows_1 + w - 2 * s - 2)
                            with map(i=range(first_4, last_4), j=range(0, M)):
                                a[i, j] = b[i, j]
    else:
        for t in range(0, K):
            x: f64 = g[t]
            with map(j=range(0, M)), when(False):
                a[0, j] = x
                a[N - 1, j] = a[N - 2, j]
            with map(i=range(1, N - 1), j=range(0, M)), when(False):
                b[i, j] = a[i - 1, j] + a[i + 1, j]
            y: f64 = b[1, 1]
            b[0, 0] = y
            with map(i=range(0, N), j=range(0, M)), when(False):
                a[i, j] = b[i, j]
