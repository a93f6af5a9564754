@symbols(N=a.shape[0])
def f(a: f64[N, N], b: f64[N, N]):
    v: f64[N].view(a, 0).strides(N + 1)
    s: f64
    with map(i=range(0, N), j=range(0, i)):
        b[i, j] = a[j, i]
    with map(k=range(0, N)), private(s):
        s = 1.0
        with map(l=range(0, 4)):
            b[k, k] = wcr.max(s * 2.0)
        v[k] = s
    return
# --- after ---
@symbols(N=a.shape[0])
def f(a: f64[N, N], b: f64[N, N]):
    v: f64[N].view(a, 0).strides(N + 1)
    s: f64
    a_dev: f64[N, N].storage("cuda").mirror(a)
    b_dev: f64[N, N].storage("cuda").mirror(b)
    v_dev: f64[N].view(a_dev, 0).strides(N + 1)
    alloc(a_dev)
    alloc(b_dev)
    copy(a_dev[0:N, 0:N], a[0:N, 0:N])
    copy(b_dev[0:N, 0:N], b[0:N, 0:N])
    with map(i=range(0, N), j=range(0, i)), schedule("grid", "seq"), threads(256):
        b_dev[i, j] = a_dev[j, i]
    copy(b[0:N, 0:N], b_dev[0:N, 0:N])
    copy(a_dev[0:N, 0:N], a[0:N, 0:N])
    copy(b_dev[0:N, 0:N], b[0:N, 0:N])
    with map(k=range(0, N)), schedule("grid"), threads(256), private(s):
        s = 1.0
        with map(l=range(0, 4)), schedule("seq"):
            b_dev[k, k] = wcr.max(s * 2.0)
        v_dev[k] = s
    copy(a[0:N, 0:N], a_dev[0:N, 0:N])
    copy(b[0:N, 0:N], b_dev[0:N, 0:N])
    return
