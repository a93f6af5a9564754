@symbols(N=a.shape[0], M=a.shape[1])
def f(a: f64[N, M], out: f64[N]):
    row: f64[4].storage("register")
    with map(i=range(0, N)), private(row):
        with map(j=range(0, 4)):
            row[j] = 0.0
        with map(j_1=range(0, M)):
            row[0] += a[i, j_1]
        out[i] = row[0]
    return
# --- after ---
(unchanged)
