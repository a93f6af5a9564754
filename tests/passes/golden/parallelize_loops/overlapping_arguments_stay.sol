@symbols(N=a.shape[0])
def f(a: f64[N].alias("g"), b: f64[N].alias("g")):
    for i in range(0, N):
        a[i] = b[i]
# --- after ---
(unchanged)
