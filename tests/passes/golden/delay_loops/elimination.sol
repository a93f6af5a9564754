@symbols(N=a.shape[0])
def f(a: f64[N, N], b: f64[N]):
    for k in range(0, N):
        with map(i=range(k + 1, N)):
            c: f64 = a[i, k] / a[k, k]
            with map(j=range(k, N)):
                a[i, j] = a[i, j] - c * a[k, j]
            b[i] = b[i] - c * b[k]
# --- after ---
@symbols(N=a.shape[0])
def f(a: f64[N, N], b: f64[N]):
    a_pivots: f64[8, N]
    b_pivots: f64[8]
    a_columns: f64[8, N]
    needed: f64[8, N]
    panels: i64 = max(0, N - 32 if 33 <= N else 0) // 8
    rest: i64 = 8 * panels
    if 0 < rest:
        alloc(a_pivots)
        alloc(b_pivots)
        alloc(a_columns)
        alloc(needed)
        for k_panel in range(0, rest, 8):
            low: i64 = max(0, k_panel + 1)
            for k in range(k_panel, k_panel + 8):
                with map(x=range(0, N)):
                    a_pivots[k - k_panel, x] = a[k, x]
                b_pivots[k - k_panel] = b[k]
                with map(i=range(max(k_panel, k + 1), min(N, k_panel + 8))), schedule("seq"):
                    c: f64 = a[i, k] / a[k, k]
                    with map(j=range(k, N)):
                        a[i, j] = a[i, j] - c * a[k, j]
                    b[i] = b[i] - c * b[k]
            for side in range(0, 2):
                start: i64 = low if side == 0 else max(low, k_panel + 8)
                end: i64 = min(N, k_panel) if side == 0 else N
                with map(c_1=range(0, min(8, N - k_panel)), r=range(max(start, 0), min(N, end))), schedule("seq", "seq"):
                    a_columns[c_1, r] = a[r, c_1 + k_panel]
                for k_1 in range(k_panel, k_panel + 8):
                    with map(r_1=range(max(start, k_panel + 1), min(N, end))):
                        c_2: f64 = a_columns[k_1 - k_panel, r_1] / a_pivots[k_1 - k_panel, k_1]
                        needed[k_1 - k_panel, r_1] = c_2
                    for c_3 in range(max(k_1, k_panel), min(N, k_panel + 8)):
                        with map(r_1=range(max(start, k_panel + 1), min(N, end))):
                            a_columns[c_3 - k_panel, r_1] = a_columns[c_3 - k_panel, r_1] - needed[k_1 - k_panel, r_1] * a_pivots[k_1 - k_panel, c_3]
                    with map(r_1=range(max(start, k_panel + 1), min(N, end))):
                        c_4: f64 = needed[k_1 - k_panel, r_1]
                        b[r_1] = b[r_1] - c_4 * b_pivots[k_1 - k_panel]
                with map(c_5=range(0, min(8, N - k_panel)), r_2=range(max(start, 0), min(N, end))), schedule("seq", "seq"):
                    a[r_2, c_5 + k_panel] = a_columns[c_5, r_2]
                for side_1 in range(0, 2):
                    with map(r_3=range(max(start, k_panel + 1), min(N, end)), c_6=range(k_panel if side_1 == 0 else k_panel + 8, min(N, k_panel) if side_1 == 0 else N)):
                        v: f64 = a[r_3, c_6]
                        q: f64 = needed[0, r_3]
                        v_1: f64 = v - q * a_pivots[0, c_6]
                        q_1: f64 = needed[1, r_3]
                        v_2: f64 = v_1 - q_1 * a_pivots[1, c_6]
                        q_2: f64 = needed[2, r_3]
                        v_3: f64 = v_2 - q_2 * a_pivots[2, c_6]
                        q_3: f64 = needed[3, r_3]
                        v_4: f64 = v_3 - q_3 * a_pivots[3, c_6]
                        q_4: f64 = needed[4, r_3]
                        v_5: f64 = v_4 - q_4 * a_pivots[4, c_6]
                        q_5: f64 = needed[5, r_3]
                        v_6: f64 = v_5 - q_5 * a_pivots[5, c_6]
                        q_6: f64 = needed[6, r_3]
                        v_7: f64 = v_6 - q_6 * a_pivots[6, c_6]
                        q_7: f64 = needed[7, r_3]
                        a[r_3, c_6] = v_7 - q_7 * a_pivots[7, c_6]
    for k in range(rest, N):
        with map(i=range(k + 1, N)):
            c: f64 = a[i, k] / a[k, k]
            with map(j=range(k, N)):
                a[i, j] = a[i, j] - c * a[k, j]
            b[i] = b[i] - c * b[k]
