@symbols(N=a.shape[0], M=a.shape[1])
@guards(0 <= k, k <= M, 2 <= N, 0 < M)
def f(a: f64[N, M], b: f64[N, M], k: i64):
    with map(i=range(0, N), j=range(0, M)):
        b[i, j] = a[i, j - 1 if 0 < j else M - 1] + a[i, j + 1 if j < M - 1 else 0]
    with map(j=range(0, M)):
        b[0, j] = a[1, j + M - k if j < k else j - k]
    with map(j=range(0, M)):  # no subscript asks
        b[0, j] = a[1, j] if 0 < j else 0.0
    with map(j=range(0, M)):  # a sum
        b[0, 0] += a[1, j - 1 if 0 < j else M - 1]
# --- after ---
@symbols(N=a.shape[0], M=a.shape[1])
@guards(0 <= k, k <= M, 2 <= N, 0 < M)
def f(a: f64[N, M], b: f64[N, M], k: i64):
    with map(i=range(0, N)):
        with map(j=range(1, max(1, M - 1))):
            b[i, j] = a[i, j - 1] + a[i, j + 1]
        for end_1 in range(0, M - max(1, M - 1) + 1):
            j_1: i64 = end_1 if end_1 < 1 else end_1 + max(1, M - 1) - 1
            b[i, j_1] = a[i, j_1 - 1 if 0 < j_1 else M - 1] + a[i, j_1 + 1 if j_1 < M - 1 else 0]
    with map(j=range(0, k)):
        b[0, j] = a[1, j + M - k]
    with map(j_2=range(k, M)):
        b[0, j_2] = a[1, j_2 - k]
    with map(j=range(0, M)):
        b[0, j] = a[1, j] if 0 < j else 0.0
    with map(j=range(0, M)):
        b[0, 0] += a[1, j - 1 if 0 < j else M - 1]
