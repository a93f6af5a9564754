@symbols(N=a.shape[0])
def f(a: f64[N], b: f64[N]):
    with map(i=range(0, N)):
        c: b1 = a[i] > 0.0
        if c:
            a[i] = 1.0
        else:
            b[i] = 1.0
        if c:
            b[i] = 2.0
        if a[i] > 0.0:
            a[i] = -1.0
        if a[i] > 0.0:
            a[i] = -2.0
# --- after ---
@symbols(N=a.shape[0])
def f(a: f64[N], b: f64[N]):
    with map(i=range(0, N)):
        c: b1 = a[i] > 0.0
        if c:
            a[i] = 1.0
            b[i] = 2.0
        else:
            b[i] = 1.0
        if a[i] > 0.0:
            a[i] = -1.0
        if a[i] > 0.0:
            a[i] = -2.0
