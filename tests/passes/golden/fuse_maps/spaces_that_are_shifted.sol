@symbols(N=a.shape[0])
def f(a: f64[N], b: f64[N]):
    with map(i=range(0, N - 2)):
        a[i + 1] = a[i + 1] * 2.0
    with map(j=range(1, N - 1)):
        b[j] = a[j]
# --- after ---
@symbols(N=a.shape[0])
def f(a: f64[N], b: f64[N]):
    with map(i=range(0, N - 2)):
        a[i + 1] = a[i + 1] * 2.0
        b[i + 1] = a[i + 1]
