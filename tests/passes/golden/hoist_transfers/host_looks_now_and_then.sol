@symbols(N=A.shape[0])
def f(A: f64[N], B: f64[N], log: f64[N], n: i64) -> scalar(f64):
    A_dev: f64[N].storage("cuda").mirror(A)
    B_dev: f64[N].storage("cuda").mirror(B)
    s: f64
    alloc(A_dev)
    alloc(B_dev)
    s = 0.0
    for t in range(0, n + 3):
        copy(A_dev[0:N], A[0:N])
        copy(B_dev[0:N], B[0:N])
        with map(i=range(0, N)), schedule("grid"):
            A_dev[i] = A_dev[i] * 0.5 + B_dev[i]
        copy(A[0:N], A_dev[0:N])
        if t % 2 == 1:
            log[0] = log[0] + 1.0
            with map(j=range(0, N)):
                s += A[j]
            if s > 100.0:
                return s + A[1]
        else:
            B[t % N] = s
            B[0] = B[0] + 1.0
    return s
# --- after ---
@symbols(N=A.shape[0])
def f(A: f64[N], B: f64[N], log: f64[N], n: i64) -> scalar(f64):
    A_dev: f64[N].storage("cuda").mirror(A)
    B_dev: f64[N].storage("cuda").mirror(B)
    s: f64
    alloc(A_dev)
    alloc(B_dev)
    s = 0.0
    copy(A_dev[0:N], A[0:N])
    copy(B_dev[0:N], B[0:N])
    for t in range(0, n + 3):
        with map(i=range(0, N)), schedule("grid"):
            A_dev[i] = A_dev[i] * 0.5 + B_dev[i]
        if t % 2 == 1:
            log[0] = log[0] + 1.0
            copy(A[0:N], A_dev[0:N])
            with map(j=range(0, N)):
                s += A[j]
            if s > 100.0:
                copy(A[0:N], A_dev[0:N])
                return s + A[1]
        else:
            B[t % N] = s
            B[0] = B[0] + 1.0
            copy(B_dev[0:N], B[0:N])
    copy(A[0:N], A_dev[0:N])
    return s
