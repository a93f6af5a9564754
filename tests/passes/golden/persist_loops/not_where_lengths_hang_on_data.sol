@symbols(N=a.shape[0])
def f(a: f64[N], n: i64[N]):
    t: f64[m]
    for k in range(0, N):
        m: i64 = min(n[k], N)
        alloc(t)
        with map(i=range(0, m)):
            t[i] = a[i] * 0.5
        with map(i_1=range(0, m)):
            a[i_1] = t[m - 1 - i_1]
    return
# --- after ---
(unchanged)
