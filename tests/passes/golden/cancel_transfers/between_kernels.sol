@symbols(N=A.shape[0])
def jacobi(T: i64, A: f64[N], B: f64[N]):
    A_dev: f64[N].storage("cuda").mirror(A)
    B_dev: f64[N].storage("cuda").mirror(B)
    alloc(A_dev)
    alloc(B_dev)
    for t in range(1, T):
        copy(A_dev[0:N], A[0:N])
        copy(B_dev[0:N], B[0:N])
        with map(i=range(0, N - 2)), schedule("grid"), threads(256):
            B_dev[i + 1] = 0.33333 * (A_dev[i] + A_dev[i + 1] + A_dev[i + 2])
        copy(B[0:N], B_dev[0:N])
        copy(A_dev[0:N], A[0:N])
        copy(B_dev[0:N], B[0:N])
        with map(k=range(0, N - 2)), schedule("grid"), threads(256):
            A_dev[k + 1] = 0.33333 * (B_dev[k] + B_dev[k + 1] + B_dev[k + 2])
        copy(A[0:N], A_dev[0:N])
    return
# --- after ---
@symbols(N=A.shape[0])
def jacobi(T: i64, A: f64[N], B: f64[N]):
    A_dev: f64[N].storage("cuda").mirror(A)
    B_dev: f64[N].storage("cuda").mirror(B)
    alloc(A_dev)
    alloc(B_dev)
    for t in range(1, T):
        copy(A_dev[0:N], A[0:N])
        copy(B_dev[0:N], B[0:N])
        with map(i=range(0, N - 2)), schedule("grid"), threads(256):
            B_dev[i + 1] = 0.33333 * (A_dev[i] + A_dev[i + 1] + A_dev[i + 2])
        copy(B[0:N], B_dev[0:N])
        with map(k=range(0, N - 2)), schedule("grid"), threads(256):
            A_dev[k + 1] = 0.33333 * (B_dev[k] + B_dev[k + 1] + B_dev[k + 2])
        copy(A[0:N], A_dev[0:N])
    return
