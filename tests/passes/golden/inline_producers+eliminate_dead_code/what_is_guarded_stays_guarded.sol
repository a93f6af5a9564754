@symbols(N=u.shape[0], M=v.shape[0])
def f(u: f64[N], v: f64[M]):
    t: f64[N]
    alloc(t)
    with map(i=range(0, N)):
        t[i] = u[i] + 1.0
    with map(j=range(0, M)):
        v[j] = t[j - 1] if j > 0 and j < N else 0.0
# --- after ---
@symbols(N=u.shape[0], M=v.shape[0])
def f(u: f64[N], v: f64[M]):
    with map(j=range(0, M)):
        v[j] = u[j - 1] + 1.0 if j > 0 and j < N else 0.0
