@symbols(N=c.shape[0])
def f(c: f64[N, N]):
    t: f64[N - i]
    u: f64[N - i_1]
    with map(i=range(0, N)):
        alloc(t)
        with map(j=range(0, N - i)):
            t[j] = c[j, i] * 0.5
        with map(j_1=range(0, N - i)):
            c[i + j_1, i] = t[j_1]
    with map(i_1=range(0, N)):
        alloc(u)
        with map(j_2=range(0, N - i_1)):
            u[j_2] = c[j_2, i_1] * 0.5
        with map(j_3=range(0, N - i_1)):
            c[i_1 + j_3, i_1] = u[j_3]
    return
# --- after ---
(unchanged)
