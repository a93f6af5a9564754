@symbols(N=a.shape[0], M=a.shape[1])
def f(a: f64[N, M], T: i64):
    rest: f64[M]
    alloc(rest)
    for t in range(0, T):
        for i in range(1, N - 1):
            with map(k=range(0, M)):
                rest[k] = a[i - 1, k] + a[i + 1, k]
            for j in range(1, M):
                a[i, j] = (a[i, j - 1] + rest[j]) / 3.0
# --- after ---
@symbols(N=a.shape[0], M=a.shape[1])
def f(a: f64[N, M], T: i64):
    rest: f64[4, M]
    last: f64
    new: f64
    last_1: f64
    new_1: f64
    last_2: f64
    new_2: f64
    last_3: f64
    new_3: f64
    count: i64 = max(T, 1)
    length: i64 = max(1, N - 2)
    step: i64 = 4 if 14 <= length else count
    work: i64 = max(1, 19 * T + 16 * (M * N * T) - 32 * (M * T) - 9 * (N * T))
    team: i64 = threads(2) if 4000000 <= work else 1
    enough: b1 = 1 < team
    tile_rows: i64 = 4 * (((count + max(1, min(64, work // (2000000 * team))) - 1) // max(1, min(64, work // (2000000 * team))) + 3) // 4) if enough else 1
    several: b1 = enough and 2 * (team * tile_rows) <= count
    rows_each: i64 = tile_rows if several else count + 4
    waves: i64 = length + 2 * rows_each
    width: i64 = max((4 * team + waves - 1) // (4 * team), 2 * rows_each) if several else waves
    bands: i64 = (count + rows_each - 1) // rows_each if several else 1
    across: i64 = (waves + width - 1) // width if several else 1
    tile_work: i64 = work // (across * bands) if several else 0
    fronts: i64 = across + 2 * bands - 2 if several else 1
    for front in range(0, fronts):
        first_band: i64 = max(0, (front - across) // 2 + 1) if several else 0
        last_band: i64 = min(front // 2, bands - 1) + 1 if several else 1
        front_work: i64 = last_band * tile_work - first_band * tile_work if several else 0
        with map(band=range(first_band, last_band)), schedule("threads"), when(2000000 <= front_work):
            band_start: i64 = band * rows_each
            band_stop: i64 = min(T, band_start + rows_each)
            first_wave: i64 = front * width - 2 * (band * width) + 1
            alloc(rest)
            for t_1 in range(band_start, band_stop, step):
                begin: i64 = 2 * band_start + first_wave - 2 * t_1
                end: i64 = 2 * band_start + first_wave + width - 2 * t_1
                whole: b1 = t_1 + 4 <= band_stop and step == 4
                low: i64 = max(begin, 7) if whole else 1099511627776
                high: i64 = max(low, min(end, N - 1))
                for piece in range(0, 3 if whole else 1):
                    if piece == 1:
                        if low < high:
                            for i_1 in range(low, high):
                                for row in range(0, 4):
                                    with map(k_5=range(0, M)):
                                        rest[row, k_5] = a[i_1 - 2 * row - 1, k_5] + a[i_1 - 2 * row + 1, k_5]
                                last = a[i_1, 0] if 1 < M else 0.0
                                last_1 = a[i_1 - 2, 0] if 1 < M else 0.0
                                last_2 = a[i_1 - 4, 0] if 1 < M else 0.0
                                last_3 = a[i_1 - 6, 0] if 1 < M else 0.0
                                for j_1 in range(1, M):
                                    new = (last + rest[0, j_1]) / 3.0
                                    new_1 = (last_1 + rest[1, j_1]) / 3.0
                                    new_2 = (last_2 + rest[2, j_1]) / 3.0
                                    new_3 = (last_3 + rest[3, j_1]) / 3.0
                                    a[i_1, j_1] = new
                                    a[i_1 - 2, j_1] = new_1
                                    a[i_1 - 4, j_1] = new_2
                                    a[i_1 - 6, j_1] = new_3
                                    last = new
                                    last_1 = new_1
                                    last_2 = new_2
                                    last_3 = new_3
                    else:
                        for t in range(t_1, min(band_stop, step + t_1)):
                            late: i64 = 2 * t - 2 * t_1
                            start: i64 = max(1, begin - late) if piece == 0 else max(max(1, begin - late), high - late)
                            stop: i64 = min(min(N - 1, end - late), low - late) if piece == 0 else min(N - 1, end - late)
                            for i in range(start, stop):
                                with map(k=range(0, M)):
                                    rest[0, k] = a[i - 1, k] + a[i + 1, k]
                                for j in range(1, M):
                                    a[i, j] = (a[i, j - 1] + rest[0, j]) / 3.0
