@symbols(N=a.shape[0])
def f(a: f64[N], b: f64[N], n: i64):
    for t in range(0, n):
        for i in range(1, N - 1):
            b[i] = a[i - 1] + a[i + 1]
        for i in range(1, N - 1):
            a[i] = b[i - 1] + b[i + 1]
# --- after ---
@symbols(N=a.shape[0])
def f(a: f64[N], b: f64[N], n: i64):
    for t in range(0, n):
        with map(i=range(1, N - 1)):
            b[i] = a[i - 1] + a[i + 1]
        with map(i=range(1, N - 1)):
            a[i] = b[i - 1] + b[i + 1]
