@symbols(N=a.shape[0])
@guards(0 < N)
def f(a: f64[N], b: f64[N], k: i64):
    with map(i=range(0, N)):
        b[i] = a[(i + 1) % N] + a[(i - 1) % N] + a[(i + k) % N] + a[(2 * i) % N]
# --- after ---
@symbols(N=a.shape[0])
@guards(0 < N)
def f(a: f64[N], b: f64[N], k: i64):
    with map(i=range(0, N)):
        b[i] = a[i - N + 1 if N <= i + 1 else i + 1] + a[N + i - 1 if i <= 0 else i - 1] + a[(i + k) % N] + a[2 * i - N if N <= 2 * i else 2 * i]
