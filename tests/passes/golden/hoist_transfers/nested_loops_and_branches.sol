@symbols(N=A.shape[0])
def f(A: f64[N], B: f64[N], n: i64, m: i64):
    A_dev: f64[N].storage("cuda").mirror(A)
    B_dev: f64[N].storage("cuda").mirror(B)
    alloc(A_dev)
    alloc(B_dev)
    for k in range(0, n):
        for l in range(0, m):
            copy(A_dev[0:N], A[0:N])
            copy(B_dev[0:N], B[0:N])
            with map(i=range(0, N)), schedule("grid"):
                A_dev[i] = A_dev[i] + B_dev[i]
            copy(A[0:N], A_dev[0:N])
            if l == k:
                copy(A_dev[0:N], A[0:N])
                with map(i_1=range(0, N)), schedule("grid"):
                    A_dev[i_1] = A_dev[i_1] * 0.5
                copy(A[0:N], A_dev[0:N])
                continue
        B[0] = B[0] + 1.0
    return
# --- after ---
@symbols(N=A.shape[0])
def f(A: f64[N], B: f64[N], n: i64, m: i64):
    A_dev: f64[N].storage("cuda").mirror(A)
    B_dev: f64[N].storage("cuda").mirror(B)
    alloc(A_dev)
    alloc(B_dev)
    copy(A_dev[0:N], A[0:N])
    for k in range(0, n):
        copy(B_dev[0:N], B[0:N])
        for l in range(0, m):
            with map(i=range(0, N)), schedule("grid"):
                A_dev[i] = A_dev[i] + B_dev[i]
            if l == k:
                with map(i_1=range(0, N)), schedule("grid"):
                    A_dev[i_1] = A_dev[i_1] * 0.5
                continue
        B[0] = B[0] + 1.0
    copy(A[0:N], A_dev[0:N])
    return
