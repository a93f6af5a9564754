@symbols(N=a.shape[0], M=a.shape[1])
def f(a: f64[N, M], b: f64[N, M], T: i64):
    for t in range(0, T):
        with map(i=range(1, N - 1), j=range(0, M)):
            b[i, j] = a[i - 1, j] + a[i + 1, j]
        with map(i=range(1, N - 1), j=range(0, M)):
            a[i, j] = b[i - 1, j] + b[i + 1, j]
# --- after ---
@symbols(N=a.shape[0], M=a.shape[1])
def f(a: f64[N, M], b: f64[N, M], T: i64):
    last_row: i64 = N - 1
    rows: i64 = last_row - 1
    steps: i64 = max(T, 1)
    all_rows: i64 = 4 * steps + max(rows, 1) + 4
    row_bytes: i64 = max(1, 16 * M)
    steps_alone: i64 = min(steps, max(min(4, max(1, 4194304 // row_bytes // 2 - 2)), min(max(32, 16384 // (8 * row_bytes)), 1048576 // row_bytes // 2 - 2)) if (32768 if row_bytes <= 64 else 2097152) < row_bytes * rows else steps)
    rows_block: i64 = max(1, 16384 // row_bytes) if (32768 if row_bytes <= 64 else 2097152) < row_bytes * rows else all_rows
    little: b1 = T * ((N - 2) * M * 6 + (N - 2) * M * 6 + 1) < 1000000
    team: i64 = 1 if little else threads(2)
    steps_shared: i64 = 1 if little else min(steps_alone, max(max(1, rows // (256 * team)), min(32, rows // (16 * team))))
    step_work: i64 = 0 if little else (T + 12 * (M * N * T) - 24 * (M * T)) // steps
    pieces: i64 = 1 if little else max(1, min(rows // (4 * steps_shared), team if 16000000 <= step_work * max(steps_shared, 16) else 1))
    steps_block: i64 = steps_shared if 1 < pieces else steps_alone
    block_work: i64 = step_work * steps_block if 1 < pieces else 0
    whole: b1 = row_bytes * rows <= (32768 if row_bytes <= 64 else 2097152) and pieces <= 1
    below: i64 = -(2 * steps_block)
    if not whole:
        for t_block in range(0, T, steps_block):
            t_stop: i64 = min(T, steps_block + t_block)
            for phase in range(0, 2 if 1 < pieces else 1):
                with map(piece=range(phase, pieces)), schedule("threads"), when(2000000 <= block_work):
                    start: i64 = (last_row * piece - piece) // pieces + 1
                    left: i64 = start if phase == 0 and 0 < piece else below
                    right: i64 = ((last_row + last_row * piece - piece - 1) // pieces + 1 if piece + 1 < pieces else last_row + 2 * t_stop - 2 * t_block - 1) if phase == 0 else start
                    end: i64 = right if phase == 0 else start + 1
                    rows_1: i64 = rows_block if phase == 0 else all_rows
                    for w in range(start, end, rows_1):
                        for t in range(t_block, t_stop):
                            s: i64 = t - t_block
                            first: i64 = max(max(1, left + 2 * s), w - 2 * s)
                            last: i64 = min(min(right + (-(2 * s) if phase == 0 else 2 * s), rows_1 + w - 2 * s), N - 1)
                            with map(i=range(first, last), j=range(0, M)):
                                b[i, j] = a[i - 1, j] + a[i + 1, j]
                            first_1: i64 = max(max(1, left + 2 * s + 1), w - 2 * s - 1)
                            last_1: i64 = min(min(right + (-1 - 2 * s if phase == 0 else 2 * s + 1), rows_1 + w - 2 * s - 1), N - 1)
                            with map(i=range(first_1, last_1), j=range(0, M)):
                                a[i, j] = b[i - 1, j] + b[i + 1, j]
    else:
        for t in range(0, T):
            with map(i=range(1, N - 1), j=range(0, M)), when(False):
                b[i, j] = a[i - 1, j] + a[i + 1, j]
            with map(i=range(1, N - 1), j=range(0, M)), when(False):
                a[i, j] = b[i - 1, j] + b[i + 1, j]
