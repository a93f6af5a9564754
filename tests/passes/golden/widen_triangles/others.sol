@symbols(N=a.shape[0], M=a.shape[1])
def f(a: f64[N, M], b: f64[N, M], n: i64):
    with map(i=range(0, N), j=range(0, M - i)):
        b[i, j] = a[i, j]
    with map(i_1=range(0, N), j_1=range(i_1, i_1 + 3)):
        b[i_1, j_1] = a[i_1, j_1]
    with map(i_2=range(0, N), j_2=range(0, 2 * i_2)):
        b[i_2, j_2] = a[i_2, j_2]
    with map(i_3=range(0, N), j_3=range(0, i_3), k=range(0, j_3)):
        b[i_3, j_3] = a[k, j_3]
    with map(j_4=range(0, M), i_4=range(0, N)):
        b[i_4, j_4] = a[i_4, j_4]
    return
# --- after ---
@symbols(N=a.shape[0], M=a.shape[1])
def f(a: f64[N, M], b: f64[N, M], n: i64):
    with map(i=range(0, N), j=range(0, M - i)):
        b[i, j] = a[i, j]
    with map(i_1=range(0, N), j_1=range(i_1, i_1 + 3)):
        b[i_1, j_1] = a[i_1, j_1]
    with map(i_2=range(0, N), j_2=range(0, 2 * i_2)):
        b[i_2, j_2] = a[i_2, j_2]
    with map(i_3=range(0, N), j_3=range(0, N - 1), k=range(0, j_3)):
        if j_3 < i_3:
            b[i_3, j_3] = a[k, j_3]
    with map(j_4=range(0, M), i_4=range(0, N)):
        b[i_4, j_4] = a[i_4, j_4]
    return
