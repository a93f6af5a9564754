@symbols(N=a.shape[0], M=a.shape[1])
def f(a: i64[N, M], b: i64[M, N], out: i64[M], c: i64[N, N]):
    with map(j=range(0, M), i=range(0, N)):
        out[j] += a[i, j]
    with map(i_1=range(0, N), j_1=range(0, N), k=range(0, M)):
        c[i_1, j_1] += a[i_1, k] * b[k, j_1]
    return
# --- after ---
(unchanged)
