@symbols(N=A.shape[0], M=B.shape[1])
def f(A: f64[N], B: f64[N, M], C: f64[M], n: i64):
    s: f64
    with map(j=range(1, M)), private(s):
        s = 0.0
        with map(k=range(0, N)):
            s += A[k] * B[k, j]
        t: f64 = s * 2.0
        C[j] = C[j] + t
        with map(k=range(0, N)):
            B[k, j] = B[k, j] - A[k] * t
# --- after ---
@symbols(N=A.shape[0], M=B.shape[1])
def f(A: f64[N], B: f64[N, M], C: f64[M], n: i64):
    s: f64
    s_1: f64[max(0, M - 1)]
    t_1: f64[max(0, M - 1)]
    alloc(s_1)
    alloc(t_1)
    with map(j=range(1, M)):
        s_1[j - 1] = 0.0
    with map(j=range(1, M), k=range(0, N)):
        s_1[j - 1] += A[k] * B[k, j]
    with map(j=range(1, M)):
        t_1[j - 1] = s_1[j - 1] * 2.0
        C[j] = C[j] + t_1[j - 1]
    with map(j=range(1, M), k=range(0, N)):
        B[k, j] = B[k, j] - A[k] * t_1[j - 1]
