@symbols(N=A.shape[0])
def f(A: f64[N, N], x: f64, n: i64) -> scalar(f64):
    s: f64
    alpha: f64
    s = 0.0
    alpha = x
    for k in range(0, N):
        pivot: f64 = A[k, k] + 10.0
        shifted: i64 = k + 1
        A[k, k] = pivot
        with map(i=range(shifted, N)):
            A[i, k] = A[i, k] / pivot
        alpha = alpha * 0.5 + A[N - 1, k]
        with map(i_1=range(0, N), j=range(0, k)):
            A[i_1, j] = A[i_1, j] - A[k, j] * alpha
        if alpha > 100.0:
            A[0, 0] = alpha
            return alpha
    return alpha + s
# --- after ---
@symbols(N=A.shape[0])
def f(A: f64[N, N], x: f64, n: i64) -> scalar(f64):
    s: f64
    alpha: f64[()]
    pivot_there: f64[()]
    alloc(alpha)
    alloc(pivot_there)
    s = 0.0
    alpha[()] = x
    for k in range(0, N):
        shifted: i64 = k + 1
        with map(one=range(0, 1)):
            pivot_1: f64 = A[k, k] + 10.0
            pivot_there[()] = pivot_1
            A[k, k] = pivot_1
        with map(i=range(shifted, N)):
            A[i, k] = A[i, k] / pivot_there[()]
        with map(one_1=range(0, 1)):
            alpha[()] = alpha[()] * 0.5 + A[N - 1, k]
        with map(i_1=range(0, N), j=range(0, k)):
            A[i_1, j] = A[i_1, j] - A[k, j] * alpha[()]
        if alpha[()] > 100.0:
            with map(one_2=range(0, 1)):
                A[0, 0] = alpha[()]
            return alpha[()]
    return alpha[()] + s
