@symbols(N=a.shape[0], M=a.shape[1], K=c.shape[2])
def f(a: f64[N, M], c: f64[N, M, K]):
    for k in range(1, K):
        m: i64 = k - 1
        with map(i=range(0, N), j=range(0, M)):
            c[i, j, k] = c[i, j, m] * a[i, j]
# --- after ---
@symbols(N=a.shape[0], M=a.shape[1], K=c.shape[2])
def f(a: f64[N, M], c: f64[N, M, K]):
    with map(i=range(0, N), j=range(0, M)):
        for k in range(1, K):
            m: i64 = k - 1
            c[i, j, k] = c[i, j, m] * a[i, j]
