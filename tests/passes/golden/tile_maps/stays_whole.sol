@symbols(N=a.shape[0], M=a.shape[1])
def f(a: f64[N, M], b: f64[M, N], c: f64[M, 8], d: f64[8, M], idx: i64[N]):
    with map(i=range(0, M), j=range(0, N)):
        b[i, j] = b[i, j] * 2.0
    with map(i=range(0, M), j=range(0, 8)):
        c[i, j] = d[j, i]
    with map(i=range(0, M), j=range(i, N)):
        b[i, j] = a[j, i]
    with map(i=range(0, M), j=range(0, N)):
        b[i, j] = a[idx[j], i]
# --- after ---
@symbols(N=a.shape[0], M=a.shape[1])
def f(a: f64[N, M], b: f64[M, N], c: f64[M, 8], d: f64[8, M], idx: i64[N]):
    with map(i=range(0, M), j=range(0, N)):
        b[i, j] = b[i, j] * 2.0
    with map(i=range(0, M), j=range(0, 8)):
        c[i, j] = d[j, i]
    with map(i=range(0, M), j=range(i, N)):
        b[i, j] = a[j, i]
    with map(i_tile=range(0, M, 128), j_tile=range(0, 8 * (N // 8), 8)):
        with map(i=range(i_tile, min(M, i_tile + 128)), j=range(j_tile, j_tile + 8)):
            b[i, j] = a[idx[j], i]
    with map(i=range(0, M), j=range(8 * (N // 8), N)):
        b[i, j] = a[idx[j], i]
