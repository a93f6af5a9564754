@symbols(N=A.shape[0])
def f(A: f64[N], n: i64) -> (array(f64, 1), array(f64, 1)):
    y: f64[N]
    y_dev: f64[N].storage("cuda").mirror(y)
    t: f64[N]
    z: f64[N]
    t_dev: f64[N].storage("cuda").mirror(t)
    z_dev: f64[N].storage("cuda").mirror(z)
    A_dev: f64[N].storage("cuda").mirror(A)
    alloc(A_dev)
    for k in range(0, n):
        alloc(t)
        alloc(t_dev)
        copy(t_dev[0:N], t[0:N])
        copy(A_dev[0:N], A[0:N])
        with map(i=range(0, N)), schedule("grid"):
            t_dev[i] = A_dev[i] + 1.0
        copy(t[0:N], t_dev[0:N])
        A[0] = t[0]
    alloc(z, zero=True)
    alloc(z_dev)
    copy(z_dev[0:N], z[0:N])
    copy(A_dev[0:N], A[0:N])
    with map(i_1=range(1, N)), schedule("grid"):
        z_dev[i_1] = A_dev[N - 1 - i_1]
    copy(z[0:N], z_dev[0:N])
    alloc(y, zero=True)
    alloc(y_dev, zero=True)
    copy(y_dev[0:N], y[0:N])
    with map(i_2=range(1, N)), schedule("grid"):
        y_dev[i_2] = A_dev[N - 1 - i_2]
    copy(y[0:N], y_dev[0:N])
    return y[0:N], z[0:N]
# --- after ---
@symbols(N=A.shape[0])
def f(A: f64[N], n: i64) -> (array(f64, 1), array(f64, 1)):
    y: f64[N]
    y_dev: f64[N].storage("cuda").mirror(y)
    t: f64[N]
    z: f64[N]
    t_dev: f64[N].storage("cuda").mirror(t)
    z_dev: f64[N].storage("cuda").mirror(z)
    A_dev: f64[N].storage("cuda").mirror(A)
    alloc(A_dev)
    for k in range(0, n):
        alloc(t)
        alloc(t_dev)
        copy(A_dev[0:N], A[0:N])
        with map(i=range(0, N)), schedule("grid"):
            t_dev[i] = A_dev[i] + 1.0
        copy(t[0:N], t_dev[0:N])
        A[0] = t[0]
    alloc(z, zero=True)
    alloc(z_dev)
    copy(z_dev[0:N], z[0:N])
    copy(A_dev[0:N], A[0:N])
    with map(i_1=range(1, N)), schedule("grid"):
        z_dev[i_1] = A_dev[N - 1 - i_1]
    copy(z[0:N], z_dev[0:N])
    alloc(y, zero=True)
    alloc(y_dev, zero=True)
    with map(i_2=range(1, N)), schedule("grid"):
        y_dev[i_2] = A_dev[N - 1 - i_2]
    copy(y[0:N], y_dev[0:N])
    return y[0:N], z[0:N]
