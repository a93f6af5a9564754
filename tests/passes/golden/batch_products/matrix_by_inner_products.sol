@symbols(N=A.shape[0], K=A.shape[1], M=B.shape[1])
@guards(B.shape[0] == K)
def f(A: f64[N, K], B: f64[K, M], C: f64[N, M]):
    d: f64
    for i in range(0, N):
        for j in range(0, M):
            lib.matmul(outs=[d], ins=[A[i, 0:K], B[0:K, j]])
            C[i, j] = d
# --- after ---
@symbols(N=A.shape[0], K=A.shape[1], M=B.shape[1])
@guards(B.shape[0] == K)
def f(A: f64[N, K], B: f64[K, M], C: f64[N, M]):
    d: f64
    products: f64[M]
    products_1: f64[N, M]
    alloc(products_1)
    lib.matmul(outs=[products_1[0:N, 0:M]], ins=[A[0:N, 0:K].axes(0, 1), B[0:K, 0:M].axes(0, 1)])
    for i in range(0, N):
        alloc(products)
        with map(e=range(0, M)):
            products[e] = products_1[i, e]
        for j in range(0, M):
            d = products[j]
            C[i, j] = d
