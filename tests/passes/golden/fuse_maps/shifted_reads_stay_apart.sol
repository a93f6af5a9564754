@symbols(N=a.shape[0])
@guards(N >= 3)
def f(a: f64[N], b: f64[N]):
    t: f64[N]
    alloc(t)
    with map(i=range(0, N - 1)):
        t[i] = a[i] + 1.0
    with map(j=range(0, N - 1)):
        b[j] = t[j + 1] * 2.0
# --- after ---
(unchanged)
