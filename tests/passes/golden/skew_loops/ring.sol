@symbols(N=a.shape[0], M=a.shape[1])
def f(a: f64[N, M], b: f64[N, M], T: i64):
    for t in range(0, T):  # the last row is far from the first
        with map(i=range(0, N - 1), j=range(0, M)):
            b[i + 1, j] = a[i, j]
        with map(j=range(0, M)):
            b[0, j] = a[N - 1, j]
        with map(i=range(0, N), j=range(0, M)):
            a[i, j] = b[i, j]
# --- after ---
@symbols(N=a.shape[0], M=a.shape[1])
def f(a: f64[N, M], b: f64[N, M], T: i64):
    first_row: i64 = min(0, N - 1)
    last_row: i64 = max(N, N + first_row)
    rows: i64 = last_row - first_row
    steps: i64 = max(T, 1)
    all_rows: i64 = 2 * steps + max(rows, 1) + 3
    row_bytes: i64 = max(1, 16 * M)
    steps_alone: i64 = min(steps, max(min(4, max(1, 4194304 // row_bytes - 3)), min(max(32, 16384 // (4 * row_bytes)), 1048576 // row_bytes - 3)) if (32768 if row_bytes <= 128 else 2097152) < row_bytes * rows else steps)
    rows_block: i64 = max(1, 16384 // row_bytes) if (32768 if row_bytes <= 128 else 2097152) < row_bytes * rows else all_rows
    little: b1 = T * ((N - 1) * M * 2 + M * 3 + N * M * 2 + 1) < 1000000
    team: i64 = 1 if little else threads(2)
    steps_shared: i64 = 1 if little else min(steps_alone, max(max(1, rows // (128 * team)), min(32, rows // (8 * team))))
    step_work: i64 = 0 if little else (T + 4 * (M * N * T) + M * T) // steps
    pieces: i64 = 1 if little else max(1, min(rows // (2 * steps_shared + 1), team if 16000000 <= step_work * max(steps_shared, 16) else 1))
    steps_block: i64 = steps_shared if 1 < pieces else steps_alone
    block_work: i64 = step_work * steps_block if 1 < pieces else 0
    in_pieces: b1 = ((32768 if row_bytes <= 128 else 2097152) < row_bytes * rows or 1 < pieces) and pieces + 2 * (pieces * steps_block) <= N and rows <= N
    steps_block_1: i64 = steps_block if in_pieces else steps
    rows_block_1: i64 = rows_block if in_pieces else all_rows
    pieces_1: i64 = pieces if in_pieces else 1
    whole: b1 = row_bytes * rows <= (32768 if row_bytes <= 128 else 2097152) and not in_pieces
    below: i64 = first_row - 2 * steps_block_1 - 1
    if not whole:
        for t_block in range(0, T, steps_block_1):
            t_stop: i64 = min(T, steps_block_1 + t_block)
            for phase in range(0, 2 if 1 < pieces_1 or in_pieces else 1):
                with map(piece=range(0, pieces_1)), schedule("threads"), when(2000000 <= block_work):
                    start: i64 = first_row + (last_row * piece - first_row * piece) // pieces_1
                    left: i64 = start if phase == 0 and (0 < piece or in_pieces) else below
                    right: i64 = (first_row + (last_row + last_row * piece - first_row - first_row * piece) // pieces_1 if piece + 1 < pieces_1 or in_pieces else last_row + t_stop - t_block - 1) if phase == 0 else start
                    end: i64 = right if phase == 0 else start + 1
                    rows_1: i64 = rows_block_1 if phase == 0 else all_rows
                    for w in range(start, end, rows_1):
                        for t in range(t_block, t_stop):
                            s: i64 = t - t_block
                            for side in range(0, 2 if in_pieces and phase != 0 and piece == 0 else 1):
                                first: i64 = max(0, max(left + s, w - s) + last_row * side - first_row * side)
                                last: i64 = min(min(right + (-s if phase == 0 else s), rows_1 + w - s) + last_row * side - first_row * side, N - 1)
                                with map(i=range(first, last), j=range(0, M)):
                                    b[i + 1, j] = a[i, j]
                            for side_1 in range(0, 2 if in_pieces and phase != 0 and piece == 0 else 1):
                                first_1: i64 = max(max(left + s, w - s) + last_row * side_1 - first_row * side_1, N - 1)
                                last_1: i64 = min(N, min(right + (-s if phase == 0 else s), rows_1 + w - s) + last_row * side_1 - first_row * side_1)
                                with map(row=range(first_1, last_1), j=range(0, M)):
                                    b[0, j] = a[N - 1, j]
                            for side_2 in range(0, 2 if in_pieces and phase != 0 and piece == 0 else 1):
                                first_2: i64 = max(0, max(left + s + 1, w - s) + last_row * side_2 - first_row * side_2)
                                last_2: i64 = min(N, min(right + (-s if phase == 0 else s + 1), rows_1 + w - s) + last_row * side_2 - first_row * side_2)
                                with map(i=range(first_2, last_2), j=range(0, M)):
                                    a[i, j] = b[i, j]
    else:
        for t in range(0, T):
            with map(i=range(0, N - 1), j=range(0, M)), when(False):
                b[i + 1, j] = a[i, j]
            with map(j=range(0, M)), when(False):
                b[0, j] = a[N - 1, j]
            with map(i=range(0, N), j=range(0, M)), when(False):
                a[i, j] = b[i, j]
