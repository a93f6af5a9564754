@symbols(N=a.shape[0])
def f(a: f64[N], b: f64[4, 4]):
    with map(i=range(0, 4), j=range(0, 4)):
        b[i, j] = 0.0
    for t in range(0, 100):
        for u in range(0, 100):
            with map(i=range(0, N)):
                a[i] = a[i] + 1.0
# --- after ---
@symbols(N=a.shape[0])
def f(a: f64[N], b: f64[4, 4]):
    with map(i=range(0, 4), j=range(0, 4)), schedule("seq", "lanes"):
        b[i, j] = 0.0
    for t in range(0, 100):
        for u in range(0, 100):
            with map(i=range(0, N)), schedule("lanes"):
                a[i] = a[i] + 1.0
