@symbols(N=a.shape[0])
def f(a: f64[N], b: i64[N], c: f64[N].alias("g"), d: f64[N].alias("g"), z: c128[N], o: object) -> scalar(f64):
    s: f64
    most: i64
    most = 0
    s = 0.0
    with map(i=range(0, N)):
        s += a[i]
    with map(i_1=range(0, N)):
        most = wcr.max(b[i_1])
    with map(i_2=range(0, N)):
        c[i_2] = d[i_2] * 2.0
    with map(i_3=range(0, N)):
        z[i_3] = sin(z[i_3])
    with map(i_4=range(0, N)):
        a[0] += 1.0
    return s
# --- after ---
(unchanged)
