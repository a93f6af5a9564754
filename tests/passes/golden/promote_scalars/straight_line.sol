@symbols(N=a.shape[0])
def f(a: f64[N], b: f64[N]):
    t: f64
    with map(i=range(0, N)), private(t):
        t = a[i] + 1.0
        t = t * 2.0
        for k in range(0, 3):
            b[i] += t
# --- after ---
@symbols(N=a.shape[0])
def f(a: f64[N], b: f64[N]):
    with map(i=range(0, N)):
        t: f64 = a[i] + 1.0
        t_1: f64 = t * 2.0
        for k in range(0, 3):
            b[i] += t_1
