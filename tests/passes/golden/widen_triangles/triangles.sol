@symbols(N=a.shape[0], M=a.shape[1])
@guards(0 < N, N <= M)
def f(a: f64[N, M], b: f64[N, M], n: i64):
    with map(i=range(0, N), j=range(0, M - i)):
        b[i, i + j] = a[i, j]
    with map(i_1=range(0, N), j_1=range(i_1, N)):
        a[i_1, j_1] = 2.0 * a[i_1, j_1]
    with map(i_2=range(0, N), j_2=range(0, i_2 + 1)):
        b[j_2, i_2] = 2.0 * b[j_2, i_2]
    return
# --- after ---
@symbols(N=a.shape[0], M=a.shape[1])
@guards(0 < N, N <= M)
def f(a: f64[N, M], b: f64[N, M], n: i64):
    with map(i=range(0, N), j=range(0, M)):
        if i + j < M:
            b[i, i + j] = a[i, j]
    with map(i_1=range(0, N), j_1=range(0, N)):
        if i_1 <= j_1:
            a[i_1, j_1] = 2.0 * a[i_1, j_1]
    with map(i_2=range(0, N), j_2=range(0, N)):
        if j_2 <= i_2:
            b[j_2, i_2] = 2.0 * b[j_2, i_2]
    return
