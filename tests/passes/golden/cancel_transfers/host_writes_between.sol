@symbols(N=A.shape[0], M=C.shape[0])
def f(A: f64[N], C: f64[M, N], x: f64) -> scalar(f64):
    row: f64[N].view(C, 0).strides(1)
    s: f64
    A_dev: f64[N].storage("cuda").mirror(A)
    C_dev: f64[M, N].storage("cuda").mirror(C)
    s_dev: f64[()].storage("cuda").mirror(s)
    alloc(A_dev)
    alloc(C_dev)
    alloc(s_dev)
    copy(A_dev[0:N], A[0:N])
    copy(C_dev[0:M, 0:N], C[0:M, 0:N])
    with map(i=range(0, N)), schedule("grid"):
        A_dev[i] = A_dev[i] * x
    copy(A[0:N], A_dev[0:N])
    A[0] = x
    copy(A_dev[0:N], A[0:N])
    copy(C_dev[0:M, 0:N], C[0:M, 0:N])
    with map(i_1=range(0, M), j_1=range(0, N)), schedule("grid", "grid"):
        C_dev[i_1, j_1] = A_dev[j_1] + C_dev[i_1, j_1]
    copy(C[0:M, 0:N], C_dev[0:M, 0:N])
    with map(k=range(0, N)):
        row[k] = A[k]
    copy(C_dev[0:M, 0:N], C[0:M, 0:N])
    copy(s_dev, s)
    with map(one=range(0, 1)), schedule("grid"):
        s_dev[()] = C_dev[0, 0] + A_dev[0]
    copy(s, s_dev)
    copy(s_dev, s)
    with map(one_1=range(0, 1)), schedule("grid"):
        s_dev[()] = s_dev[()] * 2.0
    copy(s, s_dev)
    return s
# --- after ---
@symbols(N=A.shape[0], M=C.shape[0])
def f(A: f64[N], C: f64[M, N], x: f64) -> scalar(f64):
    row: f64[N].view(C, 0).strides(1)
    s: f64
    A_dev: f64[N].storage("cuda").mirror(A)
    C_dev: f64[M, N].storage("cuda").mirror(C)
    s_dev: f64[()].storage("cuda").mirror(s)
    alloc(A_dev)
    alloc(C_dev)
    alloc(s_dev)
    copy(A_dev[0:N], A[0:N])
    copy(C_dev[0:M, 0:N], C[0:M, 0:N])
    with map(i=range(0, N)), schedule("grid"):
        A_dev[i] = A_dev[i] * x
    copy(A[0:N], A_dev[0:N])
    A[0] = x
    copy(A_dev[0:N], A[0:N])
    with map(i_1=range(0, M), j_1=range(0, N)), schedule("grid", "grid"):
        C_dev[i_1, j_1] = A_dev[j_1] + C_dev[i_1, j_1]
    copy(C[0:M, 0:N], C_dev[0:M, 0:N])
    with map(k=range(0, N)):
        row[k] = A[k]
    copy(C_dev[0:M, 0:N], C[0:M, 0:N])
    with map(one=range(0, 1)), schedule("grid"):
        s_dev[()] = C_dev[0, 0] + A_dev[0]
    copy(s, s_dev[()])
    with map(one_1=range(0, 1)), schedule("grid"):
        s_dev[()] = s_dev[()] * 2.0
    copy(s, s_dev[()])
    return s
