@symbols(K=D.shape[0], N=D.shape[1])
def f(D: f64[K, N], C: f64[N, N]):
    t: f64[N - i]
    for i in range(0, N):
        alloc(t)
        lib.matmul(outs=[t[0:N - i]], ins=[D[0:K, i], D[0:K, i:N]])
        with map(j=range(0, N - i)):
            C[i, i + j] = t[j]
# --- after ---
@symbols(K=D.shape[0], N=D.shape[1])
def f(D: f64[K, N], C: f64[N, N]):
    t: f64[N - i]
    products: f64[N, N]
    alloc(products)
    lib.matmul(outs=[products[0:N, 0:N]], ins=[D[0:K, 0:N].axes(1, 0), D[0:K, 0:N]], attrs={"triangle": "upper"})
    for i in range(0, N):
        alloc(t)
        with map(e=range(0, N - i)):
            t[e] = products[i, e + i]
        with map(j=range(0, N - i)):
            C[i, i + j] = t[j]
