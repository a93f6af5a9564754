@symbols(N=a.shape[0], M=a.shape[1])
def f(a: f64[N, M], b: f64[N, M]):
    for i in range(1, N):
        for j in range(1, M):
            if a[i, j] < 0.5:
                a[i, j] = a[i, j - 1] / 3.0 + a[i - 1, j] + 5.0
                b[i, j] = 2.0
# --- after ---
@symbols(N=a.shape[0], M=a.shape[1])
def f(a: f64[N, M], b: f64[N, M]):
    last: f64
    new: f64
    last_1: f64
    new_1: f64
    last_2: f64
    new_2: f64
    last_3: f64
    new_3: f64
    count: i64 = max(1, N - 1)
    length: i64 = max(1, M - 1)
    step: i64 = 4 if 11 <= length else count
    work: i64 = max(1, 16 * (M * N) - 16 * M - 15 * N + 15)
    team: i64 = threads(2) if 4000000 <= work else 1
    enough: b1 = 1 < team
    tile_rows: i64 = 4 * (((count + max(1, min(64, work // (2000000 * team))) - 1) // max(1, min(64, work // (2000000 * team))) + 3) // 4) if enough else 1
    several: b1 = enough and 2 * (team * tile_rows) <= count
    rows_each: i64 = tile_rows if several else count + 4
    waves: i64 = length + rows_each
    width: i64 = max(rows_each, (4 * team + waves - 1) // (4 * team)) if several else waves
    bands: i64 = (count + rows_each - 1) // rows_each if several else 1
    across: i64 = (waves + width - 1) // width if several else 1
    tile_work: i64 = work // (across * bands) if several else 0
    fronts: i64 = across + 2 * bands - 2 if several else 1
    for front in range(0, fronts):
        first_band: i64 = max(0, (front - across) // 2 + 1) if several else 0
        last_band: i64 = min(front // 2, bands - 1) + 1 if several else 1
        front_work: i64 = last_band * tile_work - first_band * tile_work if several else 0
        with map(band=range(first_band, last_band)), schedule("threads"), when(2000000 <= front_work):
            band_start: i64 = band * rows_each + 1
            band_stop: i64 = min(N, band_start + rows_each)
            first_wave: i64 = front * width - 2 * (band * width) + 1
            for i_1 in range(band_start, band_stop, step):
                begin: i64 = band_start + first_wave - i_1
                end: i64 = band_start + first_wave + width - i_1
                whole: b1 = i_1 + 4 <= band_stop and step == 4
                low: i64 = max(begin, 4) if whole else 1099511627776
                high: i64 = max(low, min(M, end))
                for piece in range(0, 3 if whole else 1):
                    if piece == 1:
                        if low < high:
                            last = a[i_1, low - 1] if low < high else 0.0
                            last_1 = a[i_1 + 1, low - 1 - 1] if low < high else 0.0
                            last_2 = a[i_1 + 2, low - 1 - 2] if low < high else 0.0
                            last_3 = a[i_1 + 3, low - 1 - 3] if low < high else 0.0
                            for j_1 in range(low, high):
                                cond_1: b1 = a[i_1, j_1] < 0.5
                                cond_2: b1 = a[i_1 + 1, j_1 - 1] < 0.5
                                cond_3: b1 = a[i_1 + 2, j_1 - 2] < 0.5
                                cond_4: b1 = a[i_1 + 3, j_1 - 3] < 0.5
                                new = last / 3.0 + a[i_1 - 1, j_1] + 5.0 if cond_1 else a[i_1, j_1]
                                new_1 = last_1 / 3.0 + a[i_1 + 1 - 1, j_1 - 1] + 5.0 if cond_2 else a[i_1 + 1, j_1 - 1]
                                new_2 = last_2 / 3.0 + a[i_1 + 2 - 1, j_1 - 2] + 5.0 if cond_3 else a[i_1 + 2, j_1 - 2]
                                new_3 = last_3 / 3.0 + a[i_1 + 3 - 1, j_1 - 3] + 5.0 if cond_4 else a[i_1 + 3, j_1 - 3]
                                a[i_1, j_1] = new
                                a[i_1 + 1, j_1 - 1] = new_1
                                a[i_1 + 2, j_1 - 2] = new_2
                                a[i_1 + 3, j_1 - 3] = new_3
                                b[i_1, j_1] = 2.0 if cond_1 else b[i_1, j_1]
                                b[i_1 + 1, j_1 - 1] = 2.0 if cond_2 else b[i_1 + 1, j_1 - 1]
                                b[i_1 + 2, j_1 - 2] = 2.0 if cond_3 else b[i_1 + 2, j_1 - 2]
                                b[i_1 + 3, j_1 - 3] = 2.0 if cond_4 else b[i_1 + 3, j_1 - 3]
                                last = new
                                last_1 = new_1
                                last_2 = new_2
                                last_3 = new_3
                    else:
                        for i in range(i_1, min(band_stop, i_1 + step)):
                            late: i64 = i - i_1
                            start: i64 = max(1, begin - late) if piece == 0 else max(max(1, begin - late), high - late)
                            stop: i64 = min(min(M, end - late), low - late) if piece == 0 else min(M, end - late)
                            for j in range(start, stop):
                                cond: b1 = a[i, j] < 0.5
                                a[i, j] = a[i, j - 1] / 3.0 + a[i - 1, j] + 5.0 if cond else a[i, j]
                                b[i, j] = 2.0 if cond else b[i, j]
