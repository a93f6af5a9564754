# with cublas
@symbols(N=a.shape[0], K=a.shape[1], M=b.shape[1], S=c.strides[0], R=c.strides[1])
def f(a: f64[N, K], b: f64[K, M], c: f64[N, K].strides(S, R), x: f64[K], out: f64[N, M], y: f64[N], h: f16[N, K]):
    lib.matmul(outs=[out[0:N, 0:M]], ins=[a[0:N, 0:K], b[0:K, 0:M]])
    lib.matmul(outs=[y[0:N]], ins=[a[0:N, 0:K], x[0:K]])
    lib.matmul(outs=[y[0:N]], ins=[a[0:N, 0:K], x[K - 1:-1:-1]])
    lib.matmul(outs=[out[0:N, 0:M]], ins=[c[0:N, 0:K], b[0:K, 0:M]])
    lib.matmul(outs=[out[0:3, 0:3]], ins=[a[0:3, 0:2], b[0:2, 0:3]])
    return
# --- after ---
@symbols(N=a.shape[0], K=a.shape[1], M=b.shape[1], S=c.strides[0], R=c.strides[1])
def f(a: f64[N, K], b: f64[K, M], c: f64[N, K].strides(S, R), x: f64[K], out: f64[N, M], y: f64[N], h: f16[N, K]):
    product: f64
    product_1: f64
    product_2: f64
    lib.matmul(outs=[out[0:N, 0:M]], ins=[a[0:N, 0:K], b[0:K, 0:M]], attrs={"by": "cublas"})
    lib.matmul(outs=[y[0:N]], ins=[a[0:N, 0:K], x[0:K]], attrs={"by": "cublas"})
    with map(i=range(0, N)), private(product):
        product = 0.0
        for k in range(0, K):
            product = product + a[i, k] * x[K - k - 1]
        y[i] = product
    if R == 1 and K <= S or S == 1 and N <= R:
        lib.matmul(outs=[out[0:N, 0:M]], ins=[c[0:N, 0:K], b[0:K, 0:M]], attrs={"by": "cublas"})
    else:
        with map(i_1=range(0, N), j=range(0, M)), private(product_1):
            product_1 = 0.0
            for k_1 in range(0, K):
                product_1 = product_1 + c[i_1, k_1] * b[k_1, j]
            out[i_1, j] = product_1
    with map(i_2=range(0, 3), j_1=range(0, 3)), private(product_2):
        product_2 = 0.0
        for k_2 in range(0, 2):
            product_2 = product_2 + a[i_2, k_2] * b[k_2, j_1]
        out[i_2, j_1] = product_2
    return
