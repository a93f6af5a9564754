@symbols(N=x.shape[0], M=x.shape[1])
@guards(N >= 2, M >= 2)
def f(x: f64[N, M], n: i64) -> array(f64, 1, base=x):
    r: f64[:, :].ref("A", x)
    q: f64[:].ref("A", r)
    y: f64[M, N - 1]
    alloc(y)
    bind(r, x[1:N, M - 1:-1:-1].axes(1, 0))
    for k in range(0, n):
        with map(i=range(0, r.shape[0]), j=range(0, r.shape[1])):
            r[i, j] += 1.0
    bind(q, r[1, 0:N - 1])
    q[0] = 2.0
    copy(y[0:M, 0:N - 1], r[0:M, 0:N - 1])
    x[0, 0] = y[0, 0]
    return q[0:N - 1]
# --- after ---
@symbols(N=x.shape[0], M=x.shape[1])
@guards(N >= 2, M >= 2)
def f(x: f64[N, M], n: i64) -> array(f64, 1, base=x):
    y: f64[M, N - 1]
    alloc(y)
    for k in range(0, n):
        with map(i=range(0, max(M, 0)), j=range(0, max(0, N - 1))):
            x[j + 1, M - i - 1] += 1.0
    x[1, M - 2] = 2.0
    copy(y[0:M, 0:N - 1], x[1:N, M - 1:-1:-1].axes(1, 0))
    x[0, 0] = y[0, 0]
    return x[1:N, M - 2]
