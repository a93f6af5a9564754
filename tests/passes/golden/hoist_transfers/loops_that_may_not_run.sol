@symbols(N=A.shape[0])
@guards(2 <= T)
def f(A: f64[N], B: f64[N], T: i64, n: i64):
    A_dev: f64[N].storage("cuda").mirror(A)
    B_dev: f64[N].storage("cuda").mirror(B)
    alloc(A_dev)
    alloc(B_dev)
    for t in range(1, T):
        with map(i=range(0, N)), schedule("grid"):
            A_dev[i] = f64(i) + f64(t)
        copy(A[0:N], A_dev[0:N])
    for k in range(0, n):
        with map(i_1=range(0, N)), schedule("grid"):
            B_dev[i_1] = f64(i_1) + f64(k)
        copy(B[0:N], B_dev[0:N])
    return
# --- after ---
@symbols(N=A.shape[0])
@guards(2 <= T)
def f(A: f64[N], B: f64[N], T: i64, n: i64):
    A_dev: f64[N].storage("cuda").mirror(A)
    B_dev: f64[N].storage("cuda").mirror(B)
    alloc(A_dev)
    alloc(B_dev)
    for t in range(1, T):
        with map(i=range(0, N)), schedule("grid"):
            A_dev[i] = f64(i) + f64(t)
    copy(A[0:N], A_dev[0:N])
    for k in range(0, n):
        with map(i_1=range(0, N)), schedule("grid"):
            B_dev[i_1] = f64(i_1) + f64(k)
        copy(B[0:N], B_dev[0:N])
    return
