@guards(1 <= n)
def f(x: f64[24], y: f64[24], a: f64, n: i64):
    for k in range(1, n):
        y[k] = y[k - 1] * a + exp(x[k] * a) / (x[k - 1] + 2.0)
# --- after ---
@guards(1 <= n)
def f(x: f64[24], y: f64[24], a: f64, n: i64):
    ahead: f64[256].storage("register")
    end: i64 = n
    for first in range(1, end, 256):
        with map(k_1=range(first, min(end, first + 256))), schedule("lanes"):
            ahead[k_1 - first] = exp(x[k_1] * a) / (x[k_1 - 1] + 2.0)
        for k in range(first, min(end, first + 256)):
            y[k] = y[k - 1] * a + ahead[k - first]
