@symbols(N=u.shape[0])
@guards(N >= 4)
def f(u: f64[N], v: f64[N], n: i64):
    un: f64[N]
    vn: f64[N]
    alloc(un)
    alloc(vn)
    with map(i=range(0, N)):
        un[i] = u[i]
    with map(i1=range(0, N)):
        vn[i1] = v[i1]
    for q in range(0, n):
        with map(j=range(0, N - 2)):
            v[j + 1] = un[j] + un[j + 2] + vn[j + 1]
# --- after ---
@symbols(N=u.shape[0])
@guards(N >= 4)
def f(u: f64[N], v: f64[N], n: i64):
    vn: f64[N]
    alloc(vn)
    with map(i1=range(0, N)):
        vn[i1] = v[i1]
    for q in range(0, n):
        with map(j=range(0, N - 2)):
            v[j + 1] = u[j] + u[j + 2] + vn[j + 1]
