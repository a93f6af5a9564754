@guards(1 <= n)
def f(a: f64[24, 24], x: f64, n: i64):
    for i in range(0, n):
        for j in range(0, n):
            if a[i, j] > 0.0:
                a[i, j] = libm_pow(x, f64(j - i))
    for k in range(0, n):
        for m in range(0, n):
            if a[k, m] > 0.5:
                break
            a[k, m] = libm_pow(x, f64(m - k))
# --- after ---
(unchanged)
