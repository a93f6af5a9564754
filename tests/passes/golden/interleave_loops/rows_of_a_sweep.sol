@symbols(N=a.shape[0], M=a.shape[1])
def f(a: f64[N, M]):
    for i in range(1, N - 1):
        for j in range(1, M - 1):
            t: f64 = (a[i - 1, j] + a[i - 1, j + 1] + a[i, j - 1] + a[i, j]) / 4.0
            a[i, j] = t
# --- after ---
@symbols(N=a.shape[0], M=a.shape[1])
def f(a: f64[N, M]):
    last: f64
    new: f64
    last_1: f64
    new_1: f64
    last_2: f64
    new_2: f64
    last_3: f64
    new_3: f64
    last_4: f64
    new_4: f64
    last_5: f64
    new_5: f64
    last_6: f64
    new_6: f64
    last_7: f64
    new_7: f64
    count: i64 = max(1, N - 2)
    length: i64 = max(1, M - 2)
    step: i64 = 8 if 22 <= length else count
    work: i64 = max(1, 17 * (M * N) - 34 * M - 33 * N + 66)
    team: i64 = threads(2) if 4000000 <= work else 1
    enough: b1 = 1 < team
    tile_rows: i64 = 8 * (((count + max(1, min(64, work // (2000000 * team))) - 1) // max(1, min(64, work // (2000000 * team))) + 7) // 8) if enough else 1
    several: b1 = enough and 2 * (team * tile_rows) <= count
    rows_each: i64 = tile_rows if several else count + 8
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
            band_start: i64 = band * rows_each + 1
            band_stop: i64 = min(band_start + rows_each, N - 1)
            first_wave: i64 = front * width - 2 * (band * width) + 1
            for i_1 in range(band_start, band_stop, step):
                begin: i64 = 2 * band_start + first_wave - 2 * i_1
                end: i64 = 2 * band_start + first_wave + width - 2 * i_1
                whole: b1 = i_1 + 8 <= band_stop and step == 8
                low: i64 = max(begin, 15) if whole else 1099511627776
                high: i64 = max(low, min(end, M - 1))
                for piece in range(0, 3 if whole else 1):
                    if piece == 1:
                        if low < high:
                            last = a[i_1, low - 1] if low < high else 0.0
                            last_1 = a[i_1 + 1, low - 1 - 2] if low < high else 0.0
                            last_2 = a[i_1 + 2, low - 1 - 4] if low < high else 0.0
                            last_3 = a[i_1 + 3, low - 1 - 6] if low < high else 0.0
                            last_4 = a[i_1 + 4, low - 1 - 8] if low < high else 0.0
                            last_5 = a[i_1 + 5, low - 1 - 10] if low < high else 0.0
                            last_6 = a[i_1 + 6, low - 1 - 12] if low < high else 0.0
                            last_7 = a[i_1 + 7, low - 1 - 14] if low < high else 0.0
                            for j_1 in range(low, high):
                                t_1: f64 = (a[i_1 - 1, j_1] + a[i_1 - 1, j_1 + 1] + last + a[i_1, j_1]) / 4.0
                                t_2: f64 = (a[i_1 + 1 - 1, j_1 - 2] + a[i_1 + 1 - 1, j_1 - 2 + 1] + last_1 + a[i_1 + 1, j_1 - 2]) / 4.0
                                t_3: f64 = (a[i_1 + 2 - 1, j_1 - 4] + a[i_1 + 2 - 1, j_1 - 4 + 1] + last_2 + a[i_1 + 2, j_1 - 4]) / 4.0
                                t_4: f64 = (a[i_1 + 3 - 1, j_1 - 6] + a[i_1 + 3 - 1, j_1 - 6 + 1] + last_3 + a[i_1 + 3, j_1 - 6]) / 4.0
                                t_5: f64 = (a[i_1 + 4 - 1, j_1 - 8] + a[i_1 + 4 - 1, j_1 - 8 + 1] + last_4 + a[i_1 + 4, j_1 - 8]) / 4.0
                                t_6: f64 = (a[i_1 + 5 - 1, j_1 - 10] + a[i_1 + 5 - 1, j_1 - 10 + 1] + last_5 + a[i_1 + 5, j_1 - 10]) / 4.0
                                t_7: f64 = (a[i_1 + 6 - 1, j_1 - 12] + a[i_1 + 6 - 1, j_1 - 12 + 1] + last_6 + a[i_1 + 6, j_1 - 12]) / 4.0
                                t_8: f64 = (a[i_1 + 7 - 1, j_1 - 14] + a[i_1 + 7 - 1, j_1 - 14 + 1] + last_7 + a[i_1 + 7, j_1 - 14]) / 4.0
                                new = t_1
                                new_1 = t_2
                                new_2 = t_3
                                new_3 = t_4
                                new_4 = t_5
                                new_5 = t_6
                                new_6 = t_7
                                new_7 = t_8
                                a[i_1, j_1] = new
                                a[i_1 + 1, j_1 - 2] = new_1
                                a[i_1 + 2, j_1 - 4] = new_2
                                a[i_1 + 3, j_1 - 6] = new_3
                                a[i_1 + 4, j_1 - 8] = new_4
                                a[i_1 + 5, j_1 - 10] = new_5
                                a[i_1 + 6, j_1 - 12] = new_6
                                a[i_1 + 7, j_1 - 14] = new_7
                                last = new
                                last_1 = new_1
                                last_2 = new_2
                                last_3 = new_3
                                last_4 = new_4
                                last_5 = new_5
                                last_6 = new_6
                                last_7 = new_7
                    else:
                        for i in range(i_1, min(band_stop, i_1 + step)):
                            late: i64 = 2 * i - 2 * i_1
                            start: i64 = max(1, begin - late) if piece == 0 else max(max(1, begin - late), high - late)
                            stop: i64 = min(min(M - 1, end - late), low - late) if piece == 0 else min(M - 1, end - late)
                            for j in range(start, stop):
                                t: f64 = (a[i - 1, j] + a[i - 1, j + 1] + a[i, j - 1] + a[i, j]) / 4.0
                                a[i, j] = t
