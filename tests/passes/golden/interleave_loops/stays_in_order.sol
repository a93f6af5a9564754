@symbols(N=a.shape[0], M=a.shape[1])
def f(a: i64[N, M], b: f64[N, M], best: f64[1]):
    top: f64
    top = 0.0
    for i in range(1, N):
        for j in range(1, M):
            a[i, j] = a[i - 1, j] + a[i, j - 1]
    for i_2 in range(1, N):
        for j_2 in range(1, M):
            b[i_2, j_2] = (b[i_2, j_2 - 1] + b[i_2 - 1, 0]) / 3.0
    for i_3 in range(1, N):
        for j_3 in range(1, M):
            b[i_3, j_3] = (b[i_3, j_3 - 1] + b[i_3 - 1, j_3]) / 3.0
            if b[i_3, j_3] > top:
                top = b[i_3, j_3]
    best[0] = top
# --- after ---
(unchanged)
