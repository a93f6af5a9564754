@symbols(N=d.shape[0])
def p(a: f64[3, 4], b: f64[4, 2], c: f64[3, 2], d: f64[N, 4], e: f64[N, 2], v: f64[8, 9], w: f64[9], u: f64[8]):
    lib.matmul(outs=[c[0:3, 0:2]], ins=[a[0:3, 0:4], b[0:4, 0:2]])
    lib.matmul(outs=[e[0:N, 0:2]], ins=[d[0:N, 0:4], b[0:4, 0:2]])
    lib.matmul(outs=[u[0:8]], ins=[v[0:8, 0:9], w[0:9]])
# --- after ---
@symbols(N=d.shape[0])
def p(a: f64[3, 4], b: f64[4, 2], c: f64[3, 2], d: f64[N, 4], e: f64[N, 2], v: f64[8, 9], w: f64[9], u: f64[8]):
    lib.matmul(outs=[c[0:3, 0:2]], ins=[a[0:3, 0:4], b[0:4, 0:2]], attrs={"loops": "fused"})
    lib.matmul(outs=[e[0:N, 0:2]], ins=[d[0:N, 0:4], b[0:4, 0:2]])
    lib.matmul(outs=[u[0:8]], ins=[v[0:8, 0:9], w[0:9]])
