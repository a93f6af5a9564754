@symbols(N=a.shape[0], M=a.shape[1])
def f(a: f64[N, M], x: f64[M, 1], y: f64[1, N], out: f64[N, 1], row: f64[1, M], one: f64[1, 1]):
    t: f64[N, M]
    alloc(t)
    with map(i=range(0, N), j=range(0, M)):
        t[i, j] = 2.0 * a[i, j]
    lib.matmul(outs=[out[0:N, 0:1]], ins=[t[0:N, 0:M], x[0:M, 0:1]])
    lib.matmul(outs=[row[0:1, 0:M]], ins=[y[0:1, 0:N], t[0:N, 0:M]])
    lib.matmul(outs=[one[0:1, 0:1]], ins=[row[0:1, 0:M], x[0:M, 0:1]])
    lib.matmul(outs=[out[0:N, 0:1]], ins=[a[0:N, 0:M], x[0:M, 0:1]])
    return
# --- after ---
@symbols(N=a.shape[0], M=a.shape[1])
def f(a: f64[N, M], x: f64[M, 1], y: f64[1, N], out: f64[N, 1], row: f64[1, M], one: f64[1, 1]):
    t: f64[N, M]
    alloc(t)
    with map(i=range(0, N), j=range(0, M)):
        t[i, j] = 2.0 * a[i, j]
    with map(i_1=range(0, N)):
        out[i_1, 0] = 0.0
    with map(i_1=range(0, N), k=range(0, M)):
        out[i_1, 0] += t[i_1, k] * x[k, 0]
    with map(i_2=range(0, M)):
        row[0, i_2] = 0.0
    with map(k_1=range(0, N), i_2=range(0, M)):
        row[0, i_2] += y[0, k_1] * t[k_1, i_2]
    lib.matmul(outs=[one[0:1, 0:1]], ins=[row[0:1, 0:M], x[0:M, 0:1]])
    lib.matmul(outs=[out[0:N, 0:1]], ins=[a[0:N, 0:M], x[0:M, 0:1]])
    return
