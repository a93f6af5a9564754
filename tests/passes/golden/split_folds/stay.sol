@symbols(N=a.shape[0], M=a.shape[1])
def f(a: f64[N, M], b: f64[N, M], s: f64[N], t: f64[M]):
    with map(i=range(0, N), j=range(0, M)):
        s[i] += b[i, j]
        t[j] += b[i, j]
        b[i, j] = a[i, j]
    with map(i_1=range(0, N), j_1=range(0, M)):
        if a[i_1, j_1] > 0.0:
            s[i_1] += a[i_1, j_1]
            t[j_1] += a[i_1, j_1]
    with map(i_2=range(0, N), j_2=range(0, M)):
        s[i_2] += a[i_2, j_2]
        b[i_2, j_2] = 1.0
    return
# --- after ---
(unchanged)
