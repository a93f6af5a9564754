@symbols(N=a.shape[0], M=a.shape[1])
def f(a: f64[N, M], idx: i64[N], h: f64[M], g: f64[N, M], o: f16[N]) -> scalar(f64):
    s: f64
    s = 0.0
    with map(i=range(0, N)):
        h[idx[i]] += a[i, 0]
    with map(i_1=range(0, N)):
        s += real(sin(complex(a[i_1, 1], 0.0)))
    with map(i_2=range(0, N), j_2=range(0, M)):
        g[i_2, j_2] += a[i_2, j_2]
    return s
# --- after ---
(unchanged)
