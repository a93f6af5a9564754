@symbols(N=a.shape[0])
def f(a: f64[N, N], out: f64[N, N]):
    t: f64[N, N]
    alloc(t)
    lib.matmul(outs=[t[0:N, 0:N]], ins=[a[0:N, 0:N], a[0:N, 0:N]], attrs={"by": "cublas"})
    with map(i=range(0, N), j=range(0, N)):
        out[i, j] = t[i, j] + 1.0
    return
# --- after ---
@symbols(N=a.shape[0])
def f(a: f64[N, N], out: f64[N, N]):
    t: f64[N, N].storage("cuda")
    a_dev: f64[N, N].storage("cuda").mirror(a)
    out_dev: f64[N, N].storage("cuda").mirror(out)
    alloc(a_dev)
    alloc(out_dev)
    alloc(t)
    copy(a_dev[0:N, 0:N], a[0:N, 0:N])
    lib.matmul(outs=[t[0:N, 0:N]], ins=[a_dev[0:N, 0:N], a_dev[0:N, 0:N]], attrs={"by": "cublas"})
    copy(out_dev[0:N, 0:N], out[0:N, 0:N])
    with map(i=range(0, N), j=range(0, N)), schedule("grid", "grid"), threads(8, 32):
        out_dev[i, j] = t[i, j] + 1.0
    copy(out[0:N, 0:N], out_dev[0:N, 0:N])
    return
