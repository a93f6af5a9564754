@symbols(N=A.shape[0], K=A.shape[1])
def f(A: f64[N, K], x: f64):
    n: i64 = N - 2
    two: f64 = 1.0 + 1.0
    for k in range(K - 1, K):
        with map(i=range(0, n)):
            A[1 + i + 0, k] = two * x if 1 < 2 else 0.0
    for q in range(3, 3):
        A[0, 0] = 1.0
    if False:
        A[0, 0] = 2.0
    else:
        A[0, 0] = x * 1.0 + 0.0
    with map(i2=range(0, 1), j2=range(0, K)):
        A[i2, j2] = 0.0
# --- after ---
@symbols(N=A.shape[0], K=A.shape[1])
def f(A: f64[N, K], x: f64):
    with map(i=range(0, N - 2)):
        A[i + 1, K - 1] = 2.0 * x
    A[0, 0] = x + 0.0
    with map(j2=range(0, K)):
        A[0, j2] = 0.0
