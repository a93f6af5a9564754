@symbols(N=a.shape[0])
def f(a: f64[N], b: f64[N], n: i64):
    with map(i=range(0, N)):
        a[i] = 1.0
    if n < 0:
        raise builtins.ValueError("negative")
    with map(j=range(0, N)):
        b[j] = a[j]
# --- after ---
(unchanged)
