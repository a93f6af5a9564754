@symbols(N=a.shape[0])
def f(a: f64[N], b: f64[N]):
    a_dev: f64[N].storage("cuda").mirror(a)
    b_dev: f64[N].storage("cuda").mirror(b)
    t: f64[N]
    t_dev: f64[N].storage("cuda").mirror(t)
    alloc(a_dev)
    alloc(b_dev)
    alloc(t)
    alloc(t_dev)
    copy(a_dev[0:N], a[0:N])
    copy(b_dev[0:N], b[0:N])
    with map(i=range(0, N)), schedule("grid"), threads(256):
        a_dev[i] = a_dev[i] + 1.0
    with map(i=range(0, N)), schedule("grid"), threads(256):
        t_dev[i] = b_dev[i]
    raise builtins.ValueError("no")
# --- after ---
@symbols(N=a.shape[0])
def f(a: f64[N], b: f64[N]):
    a_dev: f64[N].storage("cuda").mirror(a)
    alloc(a_dev)
    copy(a_dev[0:N], a[0:N])
    with map(i=range(0, N)), schedule("grid"), threads(256):
        a_dev[i] = a_dev[i] + 1.0
    raise builtins.ValueError("no")
