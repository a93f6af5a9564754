@symbols(N=c.shape[0])
def f(c: f64[N, N], t: f64[N], k: i64):
    with map(i=range(0, N - k)):
        c[k + i, k] = t[i]
    with map(j=range(0, N - k)):
        c[k, k + j] = t[j]
    with map(i_1=range(0, N - k)):
        c[k + i_1, k] = 2.0 * t[i_1]
    with map(j_1=range(0, N - k)):
        c[k, N - 1 - j_1] = t[j_1]
    return
# --- after ---
@symbols(N=c.shape[0])
def f(c: f64[N, N], t: f64[N], k: i64):
    with map(i=range(0, N - k)):
        c[k + i, k] = t[i]
        c[k, k + i] = t[i]
        c[k + i, k] = 2.0 * t[i]
    with map(j_1=range(0, N - k)):
        c[k, N - 1 - j_1] = t[j_1]
    return
