@symbols(N=A.shape[0])
def f(A: f64[N], B: f64[N], C: f64[N], n: i64) -> scalar(f64):
    s: f64
    A_dev: f64[N].storage("cuda").mirror(A)
    B_dev: f64[N].storage("cuda").mirror(B)
    C_dev: f64[N].storage("cuda").mirror(C)
    alloc(A_dev)
    alloc(B_dev)
    alloc(C_dev)
    s = 0.0
    for k in range(0, n):
        copy(A_dev[0:N], A[0:N])
        copy(B_dev[0:N], B[0:N])
        copy(C_dev[0:N], C[0:N])
        with map(i=range(0, N)), schedule("grid"):
            A_dev[i] = A_dev[i] + B_dev[i]
            C_dev[i] = C_dev[i] + 1.0
        copy(A[0:N], A_dev[0:N])
        copy(C[0:N], C_dev[0:N])
        s = s + A[0]
        B[0] = s
    return s
# --- after ---
@symbols(N=A.shape[0])
def f(A: f64[N], B: f64[N], C: f64[N], n: i64) -> scalar(f64):
    s: f64
    A_dev: f64[N].storage("cuda").mirror(A)
    B_dev: f64[N].storage("cuda").mirror(B)
    C_dev: f64[N].storage("cuda").mirror(C)
    alloc(A_dev)
    alloc(B_dev)
    alloc(C_dev)
    s = 0.0
    copy(A_dev[0:N], A[0:N])
    copy(C_dev[0:N], C[0:N])
    for k in range(0, n):
        copy(B_dev[0:N], B[0:N])
        with map(i=range(0, N)), schedule("grid"):
            A_dev[i] = A_dev[i] + B_dev[i]
            C_dev[i] = C_dev[i] + 1.0
        copy(A[0:N], A_dev[0:N])
        s = s + A[0]
        B[0] = s
    copy(C[0:N], C_dev[0:N])
    return s
