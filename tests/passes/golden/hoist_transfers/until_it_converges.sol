@symbols(N=A.shape[0])
def f(A: f64[N], tol: f64) -> scalar(f64):
    err: f64
    A_dev: f64[N].storage("cuda").mirror(A)
    err_dev: f64[()].storage("cuda").mirror(err)
    alloc(A_dev)
    alloc(err_dev)
    err = 8.0
    while err > tol:
        copy(A_dev[0:N], A[0:N])
        with map(i=range(0, N)), schedule("grid"):
            A_dev[i] = A_dev[i] * 0.25
        copy(A[0:N], A_dev[0:N])
        copy(A_dev[0:N], A[0:N])
        copy(err_dev, err)
        with map(one=range(0, 1)), schedule("grid"):
            err_dev[()] = abs(A_dev[0])
        copy(err, err_dev)
    return err
# --- after ---
@symbols(N=A.shape[0])
def f(A: f64[N], tol: f64) -> scalar(f64):
    err: f64
    A_dev: f64[N].storage("cuda").mirror(A)
    err_dev: f64[()].storage("cuda").mirror(err)
    alloc(A_dev)
    alloc(err_dev)
    err = 8.0
    copy(A_dev[0:N], A[0:N])
    copy(err_dev[()], err)
    while err > tol:
        with map(i=range(0, N)), schedule("grid"):
            A_dev[i] = A_dev[i] * 0.25
        with map(one=range(0, 1)), schedule("grid"):
            err_dev[()] = abs(A_dev[0])
        copy(err, err_dev[()])
    copy(A[0:N], A_dev[0:N])
    return err
