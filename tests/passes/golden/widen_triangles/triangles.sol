@symbols(M=a.shape[0], N=a.shape[1])
@guards(0 < M, M <= N)
def f(a: f64[M, N], b: f64[M, N]):
    with map(i=range(0, M), j=range(0, N - i)):
        b[i, i + j] = a[i, j]
    with map(i_1=range(0, M), j_1=range(i_1, M)):
        a[i_1, j_1] = 2.0 * a[i_1, j_1]
    with map(i_2=range(0, M), j_2=range(0, i_2 + 1)):
        b[j_2, i_2] = 2.0 * b[j_2, i_2]
    return
# --- after ---
@symbols(M=a.shape[0], N=a.shape[1])
@guards(0 < M, M <= N)
def f(a: f64[M, N], b: f64[M, N]):
    with map(i=range(0, M), j=range(0, N)):
        if i + j < N:
            b[i, i + j] = a[i, j]
    with map(i_1=range(0, M), j_1=range(0, M)):
        if i_1 <= j_1:
            a[i_1, j_1] = 2.0 * a[i_1, j_1]
    with map(i_2=range(0, M), j_2=range(0, M)):
        if j_2 <= i_2:
            b[j_2, i_2] = 2.0 * b[j_2, i_2]
    return
