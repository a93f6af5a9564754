@symbols(N=a.shape[0])
def f(a: f64[N, N], b: f64[N, N]):
    with map(i=range(0, N), j=range(3, 4)):
        a[i, j] = 1.0
    with map(i=range(0, N), j=range(0, N)):
        a[i, j] = a[i, j] + 1.0
    for k in range(2, 3):
        b[k, 0] = 1.0
    for k in range(0, N):
        b[k, 0] = b[k, 0] + 1.0
# --- after ---
@symbols(N=a.shape[0])
def f(a: f64[N, N], b: f64[N, N]):
    with map(i=range(0, N)):
        a[i, 3] = 1.0
    with map(i=range(0, N), j=range(0, N)):
        a[i, j] = a[i, j] + 1.0
    b[2, 0] = 1.0
    for k in range(0, N):
        b[k, 0] = b[k, 0] + 1.0
