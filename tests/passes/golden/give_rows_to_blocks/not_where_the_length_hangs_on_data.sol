@symbols(N=a.shape[0], M=a.shape[1])
def f(a: f64[N, M], n: i64[N], out: f64[N]):
    acc: f64
    with map(i=range(0, N)), private(acc):
        m: i64 = n[i]
        acc = 0.0
        with map(j=range(0, m)):
            acc += a[i, j]
        out[i] = acc
    return
# --- after ---
(unchanged)
