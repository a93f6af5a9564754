@symbols(N=a.shape[0], M=a.shape[1])
def f(a: f64[N, M].readonly(), x: f64) -> array(f64, 2):
    t: f64[N, M]
    out: f64[M, N]
    alloc(t)
    alloc(out)
    with map(i=range(0, N), j=range(0, M)):
        t[i, j] = exp(a[i, j]) * x
    with map(i_1=range(0, M), j_1=range(0, N)):
        out[i_1, j_1] = t[j_1, i_1] + a[j_1, i_1]
    return out[0:M, 0:N]
# --- after ---
@symbols(N=a.shape[0], M=a.shape[1])
def f(a: f64[N, M].readonly(), x: f64) -> array(f64, 2):
    t: f64[N, M].storage("cuda")
    out: f64[M, N]
    a_dev: f64[N, M].storage("cuda").mirror(a)
    out_dev: f64[M, N].storage("cuda").mirror(out)
    alloc(a_dev)
    alloc(t)
    alloc(out)
    alloc(out_dev)
    copy(a_dev[0:N, 0:M], a[0:N, 0:M])
    with map(i=range(0, N), j=range(0, M)), schedule("grid", "grid"), threads(8, 32):
        t[i, j] = exp(a_dev[i, j]) * x
    copy(a_dev[0:N, 0:M], a[0:N, 0:M])
    copy(out_dev[0:M, 0:N], out[0:M, 0:N])
    with map(i_1=range(0, M), j_1=range(0, N)), schedule("grid", "grid"), threads(8, 32):
        out_dev[i_1, j_1] = t[j_1, i_1] + a_dev[j_1, i_1]
    copy(out[0:M, 0:N], out_dev[0:M, 0:N])
    return out[0:M, 0:N]
