@symbols(N=a.shape[0])
def f(a: f64[N], b: f64[N]):
    for i in range(N - 1, -1, -1):
        a[i] = b[i]
# --- after ---
@symbols(N=a.shape[0])
def f(a: f64[N], b: f64[N]):
    with map(i=range(0, N)):
        a[i] = b[i]
