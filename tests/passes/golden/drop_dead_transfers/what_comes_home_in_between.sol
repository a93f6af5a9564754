@symbols(N=A.shape[0])
def f(A: f64[N], B: f64[N], x: f64, k: i64):
    t: f64[N]
    A_dev: f64[N].storage("cuda").mirror(A)
    B_dev: f64[N].storage("cuda").mirror(B)
    t_dev: f64[N].storage("cuda").mirror(t)
    alloc(A_dev)
    alloc(B_dev)
    alloc(t)
    alloc(t_dev)
    copy(A_dev[0:N], A[0:N])
    copy(B_dev[0:N], B[0:N])
    with map(i=range(0, N)), schedule("grid"):
        A_dev[i] = A_dev[i] + x
        B_dev[i] = B_dev[i] + x
        t_dev[i] = A_dev[i] * 2.0
    copy(A[0:N], A_dev[0:N])
    copy(B[0:N], B_dev[0:N])
    copy(t[0:N], t_dev[0:N])
    with map(j=range(0, N)):
        t[j] = 1.0
    if k == 1:
        raise builtins.ValueError("{0}", k)
    with map(j_1=range(0, N)):
        B[j_1] = t[j_1]
    if k == 2:
        raise builtins.ValueError("{0}", k)
    with map(i_1=range(0, N)), schedule("grid"):
        A_dev[i_1] = A_dev[i_1] * x
    copy(A[0:N], A_dev[0:N])
    return
# --- after ---
@symbols(N=A.shape[0])
def f(A: f64[N], B: f64[N], x: f64, k: i64):
    t: f64[N]
    A_dev: f64[N].storage("cuda").mirror(A)
    B_dev: f64[N].storage("cuda").mirror(B)
    t_dev: f64[N].storage("cuda").mirror(t)
    alloc(A_dev)
    alloc(B_dev)
    alloc(t)
    alloc(t_dev)
    copy(A_dev[0:N], A[0:N])
    copy(B_dev[0:N], B[0:N])
    with map(i=range(0, N)), schedule("grid"):
        A_dev[i] = A_dev[i] + x
        B_dev[i] = B_dev[i] + x
        t_dev[i] = A_dev[i] * 2.0
    copy(B[0:N], B_dev[0:N])
    with map(j=range(0, N)):
        t[j] = 1.0
    if k == 1:
        raise builtins.ValueError("{0}", k)
    with map(j_1=range(0, N)):
        B[j_1] = t[j_1]
    if k == 2:
        raise builtins.ValueError("{0}", k)
    with map(i_1=range(0, N)), schedule("grid"):
        A_dev[i_1] = A_dev[i_1] * x
    copy(A[0:N], A_dev[0:N])
    return
