@symbols(N=a.shape[0])
def f(a: i32[N, N]):
    for k in range(0, N):
        with map(i=range(0, N), j=range(0, N)):
            a[i, j] = min(a[i, j], a[i, k] + a[k, j])
# --- after ---
@symbols(N=a.shape[0])
def f(a: i32[N, N]):
    a_pivots: i32[8, N]
    a_columns: i32[8, N]
    needed: i32[8, N]
    panels: i64 = max(0, N if 32 <= N else 0) // 8
    rest: i64 = 8 * panels
    if 0 < rest:
        alloc(a_pivots)
        alloc(a_columns)
        alloc(needed)
        for k_panel in range(0, rest, 8):
            for k in range(k_panel, k_panel + 8):
                with map(x=range(0, N)):
                    a_pivots[k - k_panel, x] = a[k, x]
                with map(i=range(max(k_panel, 0), min(N, k_panel + 8))), schedule("seq"):
                    with map(j=range(0, N)):
                        a[i, j] = min(a[i, j], a[i, k] + a[k, j])
            for side in range(0, 2):
                start: i64 = 0 if side == 0 else max(0, k_panel + 8)
                end: i64 = min(N, k_panel) if side == 0 else N
                with map(c=range(0, min(8, N - k_panel)), r=range(max(start, 0), min(N, end))), schedule("seq", "seq"):
                    a_columns[c, r] = a[r, c + k_panel]
                for k_1 in range(k_panel, k_panel + 8):
                    with map(r_1=range(max(start, 0), min(N, end))):
                        needed[k_1 - k_panel, r_1] = a_columns[k_1 - k_panel, r_1]
                    for c_1 in range(max(k_panel, 0), min(N, k_panel + 8)):
                        with map(r_1=range(max(start, 0), min(N, end))):
                            a_columns[c_1 - k_panel, r_1] = min(a_columns[c_1 - k_panel, r_1], needed[k_1 - k_panel, r_1] + a_pivots[k_1 - k_panel, c_1])
                with map(r_2=range(max(start, 0), min(N, end)), c_2=range(0, N)):
                    v: i32 = a[r_2, c_2]
                    q: i32 = needed[0, r_2]
                    v_1: i32 = min(v, q + a_pivots[0, c_2])
                    q_1: i32 = needed[1, r_2]
                    v_2: i32 = min(v_1, q_1 + a_pivots[1, c_2])
                    q_2: i32 = needed[2, r_2]
                    v_3: i32 = min(v_2, q_2 + a_pivots[2, c_2])
                    q_3: i32 = needed[3, r_2]
                    v_4: i32 = min(v_3, q_3 + a_pivots[3, c_2])
                    q_4: i32 = needed[4, r_2]
                    v_5: i32 = min(v_4, q_4 + a_pivots[4, c_2])
                    q_5: i32 = needed[5, r_2]
                    v_6: i32 = min(v_5, q_5 + a_pivots[5, c_2])
                    q_6: i32 = needed[6, r_2]
                    v_7: i32 = min(v_6, q_6 + a_pivots[6, c_2])
                    q_7: i32 = needed[7, r_2]
                    a[r_2, c_2] = min(v_7, q_7 + a_pivots[7, c_2])
    for k in range(rest, N):
        with map(i=range(0, N), j=range(0, N)):
            a[i, j] = min(a[i, j], a[i, k] + a[k, j])
