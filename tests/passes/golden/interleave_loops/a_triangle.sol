@symbols(K=a.shape[0], N=a.shape[1])
@guards(K <= N)
def f(a: f64[K, N]):
    for i in range(1, K):
        for j in range(1, i):
            a[i, j] = (a[i - 1, j] + a[i, j - 1]) / 3.0
# --- after ---
@symbols(K=a.shape[0], N=a.shape[1])
@guards(K <= N)
def f(a: f64[K, N]):
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
    for i_1 in range(1, K, 8):
        whole: b1 = i_1 + 8 <= K
        low: i64 = 8 if whole else 1099511627776
        high: i64 = max(i_1, low)
        for piece in range(0, 3 if whole else 1):
            if piece == 1:
                if low < high:
                    last = a[i_1, low - 1] if low < high else 0.0
                    last_1 = a[i_1 + 1, low - 1 - 1] if low < high else 0.0
                    last_2 = a[i_1 + 2, low - 1 - 2] if low < high else 0.0
                    last_3 = a[i_1 + 3, low - 1 - 3] if low < high else 0.0
                    last_4 = a[i_1 + 4, low - 1 - 4] if low < high else 0.0
                    last_5 = a[i_1 + 5, low - 1 - 5] if low < high else 0.0
                    last_6 = a[i_1 + 6, low - 1 - 6] if low < high else 0.0
                    last_7 = a[i_1 + 7, low - 1 - 7] if low < high else 0.0
                    for j_1 in range(low, high):
                        new = (a[i_1 - 1, j_1] + last) / 3.0
                        new_1 = (a[i_1 + 1 - 1, j_1 - 1] + last_1) / 3.0
                        new_2 = (a[i_1 + 2 - 1, j_1 - 2] + last_2) / 3.0
                        new_3 = (a[i_1 + 3 - 1, j_1 - 3] + last_3) / 3.0
                        new_4 = (a[i_1 + 4 - 1, j_1 - 4] + last_4) / 3.0
                        new_5 = (a[i_1 + 5 - 1, j_1 - 5] + last_5) / 3.0
                        new_6 = (a[i_1 + 6 - 1, j_1 - 6] + last_6) / 3.0
                        new_7 = (a[i_1 + 7 - 1, j_1 - 7] + last_7) / 3.0
                        a[i_1, j_1] = new
                        a[i_1 + 1, j_1 - 1] = new_1
                        a[i_1 + 2, j_1 - 2] = new_2
                        a[i_1 + 3, j_1 - 3] = new_3
                        a[i_1 + 4, j_1 - 4] = new_4
                        a[i_1 + 5, j_1 - 5] = new_5
                        a[i_1 + 6, j_1 - 6] = new_6
                        a[i_1 + 7, j_1 - 7] = new_7
                        last = new
                        last_1 = new_1
                        last_2 = new_2
                        last_3 = new_3
                        last_4 = new_4
                        last_5 = new_5
                        last_6 = new_6
                        last_7 = new_7
            else:
                for i in range(i_1, min(K, i_1 + 8)):
                    late: i64 = i - i_1
                    start: i64 = 1 if piece == 0 else max(1, high - late)
                    stop: i64 = min(i, low - late) if piece == 0 else i
                    for j in range(start, stop):
                        a[i, j] = (a[i - 1, j] + a[i, j - 1]) / 3.0
