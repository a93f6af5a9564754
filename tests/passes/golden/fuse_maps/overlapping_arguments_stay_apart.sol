@symbols(N=a.shape[0])
def f(a: f64[N].alias("g"), b: f64[N].alias("g"), c: f64[N]):
    with map(i=range(0, N)):
        a[i] = c[i]
    with map(j=range(0, N)):
        c[j] = b[j]
# --- after ---
(unchanged)
