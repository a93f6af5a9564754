@symbols(M=a.shape[0], N=a.shape[1])
def f(a: f64[M, N], b: f64[M, N], c: f64[M, 12]):
    with map(i=range(0, M), j=range(0, N - i)):
        b[i, j] = a[i, j]
    with map(i_1=range(0, M), j_1=range(i_1, i_1 + 2)):
        b[i_1, j_1] = a[i_1, j_1]
    with map(i_2=range(0, M), j_2=range(0, 2 * i_2)):
        c[i_2, j_2] = a[i_2, i_2]
    with map(j_4=range(0, N), i_4=range(0, M)):
        b[i_4, j_4] = a[i_4, j_4]
    return
# --- after ---
(unchanged)
