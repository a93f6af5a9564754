@symbols(N=A.shape[0])
def f(A: f64[N], n: i64, m: i64) -> scalar(f64):
    s: f64
    A_dev: f64[N].storage("cuda").mirror(A)
    alloc(A_dev)
    for k in range(0, n):
        copy(A_dev[0:N], A[0:N])
        with map(i=range(0, N)), schedule("grid"):
            A_dev[i] = A_dev[i] * 0.25
        copy(A[0:N], A_dev[0:N])
        if k == m:
            return A[0]
        if k == m + 3:
            raise builtins.ValueError("{0}", k)
        if k == m + 7:
            break
    return 0.0
# --- after ---
@symbols(N=A.shape[0])
def f(A: f64[N], n: i64, m: i64) -> scalar(f64):
    s: f64
    A_dev: f64[N].storage("cuda").mirror(A)
    alloc(A_dev)
    copy(A_dev[0:N], A[0:N])
    for k in range(0, n):
        with map(i=range(0, N)), schedule("grid"):
            A_dev[i] = A_dev[i] * 0.25
        if k == m:
            copy(A[0:N], A_dev[0:N])
            return A[0]
        if k == m + 3:
            raise builtins.ValueError("{0}", k)
        if k == m + 7:
            break
    copy(A[0:N], A_dev[0:N])
    return 0.0
