@symbols(N=A.shape[0])
def f(A: f64[N], B: f64[N], k: i64):
    A_dev: f64[N].storage("cuda").mirror(A)
    B_dev: f64[N].storage("cuda").mirror(B)
    alloc(A_dev)
    alloc(B_dev)
    if k == 1:
        copy(A_dev[0:N], A[0:N])
        copy(B_dev[0:N], B[0:N])
        with map(i=range(0, N)), schedule("grid"):
            A_dev[i] = B_dev[i]
        copy(A[0:N], A_dev[0:N])
    else:
        copy(B_dev[0:N], B[0:N])
        with map(i_1=range(0, N)), schedule("grid"):
            B_dev[i_1] = B_dev[i_1] + 1.0
        copy(B[0:N], B_dev[0:N])
    copy(A_dev[0:N], A[0:N])
    copy(B_dev[0:N], B[0:N])
    with map(i_2=range(0, N)), schedule("grid"):
        B_dev[i_2] = A_dev[i_2] + B_dev[i_2]
    copy(B[0:N], B_dev[0:N])
    return
# --- after ---
@symbols(N=A.shape[0])
def f(A: f64[N], B: f64[N], k: i64):
    A_dev: f64[N].storage("cuda").mirror(A)
    B_dev: f64[N].storage("cuda").mirror(B)
    alloc(A_dev)
    alloc(B_dev)
    if k == 1:
        copy(A_dev[0:N], A[0:N])
        copy(B_dev[0:N], B[0:N])
        with map(i=range(0, N)), schedule("grid"):
            A_dev[i] = B_dev[i]
        copy(A[0:N], A_dev[0:N])
    else:
        copy(B_dev[0:N], B[0:N])
        with map(i_1=range(0, N)), schedule("grid"):
            B_dev[i_1] = B_dev[i_1] + 1.0
        copy(B[0:N], B_dev[0:N])
    copy(A_dev[0:N], A[0:N])
    with map(i_2=range(0, N)), schedule("grid"):
        B_dev[i_2] = A_dev[i_2] + B_dev[i_2]
    copy(B[0:N], B_dev[0:N])
    return
