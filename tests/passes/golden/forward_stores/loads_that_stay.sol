@symbols(N=a.shape[0])
def f(a: f64[N], p: f64[N].alias("g"), q: f64[N].alias("g"), c: f64[N], h: f64[N]):
    for i in range(1, N):
        a[i] = a[i] + 1.0
        a[i - 1] = a[i] * 2.0
        a[i] = a[i] / 9.0
    for j in range(1, N):
        p[j] = p[j] + 1.0
        q[j] = 2.0
        p[j] = p[j] / 9.0
    for k in range(1, N):
        c[k] = c[k] + 1.0
        if c[k] > 3.0:
            c[k] = c[k] / 9.0
    with map(m=range(1, N)):
        h[m] = h[m] + 1.0
        h[m] = h[m] / 9.0
# --- after ---
@symbols(N=a.shape[0])
def f(a: f64[N], p: f64[N].alias("g"), q: f64[N].alias("g"), c: f64[N], h: f64[N]):
    for i in range(1, N):
        stored: f64 = a[i] + 1.0
        a[i] = stored
        a[i - 1] = stored * 2.0
        a[i] = a[i] / 9.0
    for j in range(1, N):
        p[j] = p[j] + 1.0
        q[j] = 2.0
        p[j] = p[j] / 9.0
    for k in range(1, N):
        c[k] = c[k] + 1.0
        if c[k] > 3.0:
            c[k] = c[k] / 9.0
    with map(m=range(1, N)):
        h[m] = h[m] + 1.0
        h[m] = h[m] / 9.0
