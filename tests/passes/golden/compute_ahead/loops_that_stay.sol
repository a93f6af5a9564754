@guards(1 <= n)
def f(x: f64[24], y: f64[24], p: f64[24], h: f64[24], a: f64, n: i64):
    for k in range(1, n):
        y[k] = y[k - 1] * a + x[k] * a
    for m in range(1, n):
        y[m] = y[m - 1] / (a + 2.0) + exp(y[m]) / (a + 3.0)
    for i in range(0, 16):
        h[max(min(i64((x[i] - a) / a * 16.0 + a), 15), 0)] = x[i]
    for q in range(1, n):
        if x[q] > 0.5:
            p[q] = p[q - 1] + exp(x[q]) / (a + 2.0)
    with map(t=range(0, n)), schedule("lanes"):
        y[t] = exp(x[t]) / (a + 2.0)
    for r in range(0, n):
        y[r] = y[r] * a + select(y[0] > x[r] and r + 1 < n, exp(x[r + 1]) / (a + 2.0) * 16.0, 0.0)
# --- after ---
(unchanged)
