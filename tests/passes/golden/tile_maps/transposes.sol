@symbols(N=a.shape[0], M=a.shape[1])
def f(a: f64[N, M], b: f64[M, N], c: f32[20, 30, 40], d: f32[40, 20, 30]):
    with map(i=range(0, M), j=range(0, N)):
        b[i, j] = b[i, j] + a[j, i]
    with map(k=range(0, 40), i=range(0, 20), j=range(0, 30)):
        d[k, i, j] = c[i, j, k]
# --- after ---
@symbols(N=a.shape[0], M=a.shape[1])
def f(a: f64[N, M], b: f64[M, N], c: f32[20, 30, 40], d: f32[40, 20, 30]):
    with map(i_tile=range(0, M, 128), j_tile=range(0, 8 * (N // 8), 8)):
        with map(i=range(i_tile, min(M, i_tile + 128)), j=range(j_tile, j_tile + 8)):
            b[i, j] = b[i, j] + a[j, i]
    with map(i=range(0, M), j=range(8 * (N // 8), N)):
        b[i, j] = b[i, j] + a[j, i]
    with map(k_tile=range(0, 40, 128), i=range(0, 20), j_tile_1=range(0, 16, 16)):
        with map(k=range(k_tile, min(40, k_tile + 128)), j=range(j_tile_1, j_tile_1 + 16)):
            d[k, i, j] = c[i, j, k]
    with map(k=range(0, 40), i=range(0, 20), j=range(16, 30)):
        d[k, i, j] = c[i, j, k]
