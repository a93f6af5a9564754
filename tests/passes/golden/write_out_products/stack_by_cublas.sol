# with cublas
@symbols(S=a.shape[0], N=a.shape[1], K=a.shape[2], M=b.shape[2], L=x.shape[0])
def f(a: f64[S, N, K], b: f64[S, K, M], out: f64[S, N, M], c: f64[K, M], x: f64[L, S, K], y: f64[L, S, M], s: f64[S]):
    with map(i=range(0, S)):
        lib.matmul(outs=[out[i, 0:N, 0:M]], ins=[a[i, 0:N, 0:K], b[i, 0:K, 0:M]])
    with map(i=range(0, S)):
        s[i] = 1.0
        lib.matmul(outs=[out[i, 0:N, 0:M]], ins=[a[i, 0:N, 0:K], c[0:K, 0:M]])
    with map(l=range(0, L), i=range(0, S)):
        lib.matmul(outs=[y[l, i, 0:M]], ins=[x[l, i, 0:K], b[i, 0:K, 0:M]])
    return
# --- after ---
@symbols(S=a.shape[0], N=a.shape[1], K=a.shape[2], M=b.shape[2], L=x.shape[0])
def f(a: f64[S, N, K], b: f64[S, K, M], out: f64[S, N, M], c: f64[K, M], x: f64[L, S, K], y: f64[L, S, M], s: f64[S]):
    lib.matmul(outs=[out[0:S, 0:N, 0:M].axes(0, 1, 2)], ins=[a[0:S, 0:N, 0:K].axes(0, 1, 2), b[0:S, 0:K, 0:M].axes(0, 1, 2)], attrs={"by": "cublas"})
    with map(i=range(0, S)):
        s[i] = 1.0
    lib.matmul(outs=[out[0:S, 0:N, 0:M].axes(0, 1, 2)], ins=[a[0:S, 0:N, 0:K].axes(0, 1, 2), c[0:K, 0:M]], attrs={"by": "cublas"})
    for l in range(0, L):
        lib.matmul(outs=[y[l, 0:S, 0:M].axes(1, -1, 2)], ins=[x[l, 0:S, 0:K].axes(1, -1, 2), b[0:S, 0:K, 0:M].axes(0, 1, 2)], attrs={"by": "cublas"})
    return
