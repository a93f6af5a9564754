@symbols(N=A.shape[0])
def f(A: f64[N], n: i64, o: object):
    t: f64[N]
    A_dev: f64[N].storage("cuda").mirror(A)
    t_dev: f64[N].storage("cuda").mirror(t)
    held_by_objects: obj[()].ref("C", t)
    alloc(A_dev)
    alloc(t)
    alloc(t_dev)
    copy(t_dev[0:N], t[0:N])
    for k in range(0, n):
        copy(A_dev[0:N], A[0:N])
        with map(i=range(0, N)), schedule("grid"):
            t_dev[i] = A_dev[i] + f64(k)
        copy(t[0:N], t_dev[0:N])
        if k == 2:
            raise builtins.ValueError("{0}", k)
    return
# --- after ---
@symbols(N=A.shape[0])
def f(A: f64[N], n: i64, o: object):
    t: f64[N]
    A_dev: f64[N].storage("cuda").mirror(A)
    t_dev: f64[N].storage("cuda").mirror(t)
    held_by_objects: obj[()].ref("C", t)
    alloc(A_dev)
    alloc(t)
    alloc(t_dev)
    copy(t_dev[0:N], t[0:N])
    copy(A_dev[0:N], A[0:N])
    for k in range(0, n):
        with map(i=range(0, N)), schedule("grid"):
            t_dev[i] = A_dev[i] + f64(k)
        copy(t[0:N], t_dev[0:N])
        if k == 2:
            raise builtins.ValueError("{0}", k)
    return
