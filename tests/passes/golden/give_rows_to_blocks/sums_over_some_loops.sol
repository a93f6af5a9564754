@symbols(N=a.shape[0], M=a.shape[1], K=a.shape[2])
def f(a: f64[N, M, K], x: f64[K], y: f64[N, M], total: i64[N]):
    with map(i=range(0, N), j=range(0, M), k=range(0, K)):
        y[i, j] += a[i, j, k] * x[k]
    with map(i_1=range(0, N), j_1=range(0, M)):
        total[i_1] += 1 if y[i_1, j_1] > 0.0 else 0
    return
# --- after ---
@symbols(N=a.shape[0], M=a.shape[1], K=a.shape[2])
def f(a: f64[N, M, K], x: f64[K], y: f64[N, M], total: i64[N]):
    if 64 <= K:
        with map(i_2=range(0, N), j_2=range(0, M)), threads(256):
            with map(k_1=range(0, K)), schedule("block"):
                y[i_2, j_2] += a[i_2, j_2, k_1] * x[k_1]
    else:
        with map(i=range(0, N), j=range(0, M), k=range(0, K)):
            y[i, j] += a[i, j, k] * x[k]
    if 64 <= M:
        with map(i_1_1=range(0, N)), threads(256):
            with map(j_1_1=range(0, M)), schedule("block"):
                total[i_1_1] += 1 if y[i_1_1, j_1_1] > 0.0 else 0
    else:
        with map(i_1=range(0, N), j_1=range(0, M)):
            total[i_1] += 1 if y[i_1, j_1] > 0.0 else 0
    return
