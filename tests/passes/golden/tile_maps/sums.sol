@symbols(N=a.shape[0], M=a.shape[1], K=x.shape[0])
def f(a: f64[N, M], b: f64[M, N], rows: f64[M], columns: f64[N], x: f64[K, M, N]):
    s: f64
    with map(i=range(0, M), j=range(0, N)):
        rows[i] += b[i, j] * a[j, i]
    with map(i=range(0, M), j=range(0, N)):
        columns[j] += b[i, j] * a[j, i]
    s = 0.0
    with map(i=range(0, M), j=range(0, N)):
        s += b[i, j] * a[j, i]
    with map(k=range(0, K), i=range(0, M), j=range(0, N)):
        columns[j] += x[k, i, j] * a[j, i]
    rows[0] = s
# --- after ---
@symbols(N=a.shape[0], M=a.shape[1], K=x.shape[0])
def f(a: f64[N, M], b: f64[M, N], rows: f64[M], columns: f64[N], x: f64[K, M, N]):
    s: f64
    with map(i_tile=range(0, M, 128), j_tile=range(0, 8 * (N // 8), 8)):
        with map(i=range(i_tile, min(M, i_tile + 128)), j=range(j_tile, j_tile + 8)):
            rows[i] += b[i, j] * a[j, i]
    with map(i=range(0, M), j=range(8 * (N // 8), N)):
        rows[i] += b[i, j] * a[j, i]
    with map(i_tile_1=range(0, M, 128), j_tile_1=range(0, 8 * (N // 8), 8)):
        with map(i=range(i_tile_1, min(M, i_tile_1 + 128)), j=range(j_tile_1, j_tile_1 + 8)):
            columns[j] += b[i, j] * a[j, i]
    with map(i=range(0, M), j=range(8 * (N // 8), N)):
        columns[j] += b[i, j] * a[j, i]
    s = 0.0
    with map(i=range(0, M), j=range(0, N)):
        s += b[i, j] * a[j, i]
    with map(k=range(0, K), i_tile_2=range(0, M, 128), j_tile_2=range(0, 8 * (N // 8), 8)):
        with map(i=range(i_tile_2, min(M, i_tile_2 + 128)), j=range(j_tile_2, j_tile_2 + 8)):
            columns[j] += x[k, i, j] * a[j, i]
    with map(k=range(0, K), i=range(0, M), j=range(8 * (N // 8), N)):
        columns[j] += x[k, i, j] * a[j, i]
    rows[0] = s
