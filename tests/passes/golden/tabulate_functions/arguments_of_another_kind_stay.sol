@guards(1 <= n)
def f(a: f64[24, 24], c: i64[24], x: f64, n: i64):
    for i in range(0, n):
        for j in range(0, n):
            a[i, j] = libm_pow(x, f64(j * i)) + libm_pow(a[i, j], f64(j)) + libm_sin(f64(c[i] + j)) + exp(f64(i - j))
    for k in range(0, n):
        a[k, 0] = libm_pow(x, f64(k))
    for p in range(0, n):
        for q in range(0, n):
            a[p, q] = libm_pow(f64(p), f64(q))
# --- after ---
(unchanged)
