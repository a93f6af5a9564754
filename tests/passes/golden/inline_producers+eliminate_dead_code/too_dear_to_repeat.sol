@symbols(N=u.shape[0])
@guards(N >= 4)
def f(u: f64[N], v: f64[N]):
    t: f64[N]
    alloc(t)
    with map(i=range(0, N)):
        t[i] = exp(sin(u[i]))
    with map(j=range(0, N - 2)):
        v[j] = t[j] + t[j + 1] + t[j + 2]
# --- after ---
(unchanged)
