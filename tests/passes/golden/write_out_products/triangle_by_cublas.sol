# with cublas
@symbols(N=a.shape[0], K=a.shape[1])
def f(a: f64[N, K], c: f64[N, N]):
    lib.matmul(outs=[c[0:N, 0:N]], ins=[a[0:N, 0:K], a[0:N, 0:K].axes(1, 0), -1.0, 1.0], attrs={"triangle": "lower"})
    return
# --- after ---
@symbols(N=a.shape[0], K=a.shape[1])
def f(a: f64[N, K], c: f64[N, N]):
    square: f64[N, N]
    alloc(square)
    lib.matmul(outs=[square[0:N, 0:N]], ins=[a[0:N, 0:K], a[0:N, 0:K].axes(1, 0)], attrs={"by": "cublas"})
    with map(i=range(0, N), j=range(0, N)):
        if j <= i:
            c[i, j] = -1.0 * square[i, j] + 1.0 * c[i, j]
    return
