@guards(1 <= n, n <= 24, 0 <= lo, lo <= 24, 0 <= hi, hi <= 24)
def f(y: f64[24], z: f64[24], c: f64, lo: i64, hi: i64, n: i64):
    t: f64[24]
    s: f64[24]
    u: f64[24]
    alloc(t)
    with map(i=range(0, n)):
        t[i] = y[i] + c * y[n - 1 - i]
    with map(j=range(0, n)):
        y[j] = t[j]
    alloc(s)
    with map(i=range(lo, hi)):
        s[i] = z[i] + c * z[lo + hi - 1 - i]
    with map(i=range(lo, hi)):
        z[i] = s[i]
    alloc(u)
    with map(i=range(0, n - 1)):
        u[i] = y[i] + c * y[n - 1 - i]
    with map(i=range(0, n - 1)):
        y[i] = u[i]
# --- after ---
@guards(1 <= n, n <= 24, 0 <= lo, lo <= 24, 0 <= hi, hi <= 24)
def f(y: f64[24], z: f64[24], c: f64, lo: i64, hi: i64, n: i64):
    u: f64[24]
    with map(i=range(0, n // 2)):
        new: f64 = y[i] + c * y[n - 1 - i]
        new_1: f64 = y[n - i - 1] + c * y[n - 1 - (n - i - 1)]
        y[i] = new
        y[n - i - 1] = new_1
    with map(i_1=range(n // 2, n - n // 2)):
        y[i_1] = y[i_1] + c * y[n - 1 - i_1]
    with map(i=range(lo, lo + max(0, hi - lo) // 2)):
        new_2: f64 = z[i] + c * z[lo + hi - 1 - i]
        new_3: f64 = z[hi + lo - i - 1] + c * z[lo + hi - 1 - (hi + lo - i - 1)]
        z[i] = new_2
        z[hi + lo - i - 1] = new_3
    with map(i_2=range(lo + max(0, hi - lo) // 2, hi - max(0, hi - lo) // 2)):
        z[i_2] = z[i_2] + c * z[lo + hi - 1 - i_2]
    alloc(u)
    with map(i=range(0, n - 1)):
        u[i] = y[i] + c * y[n - 1 - i]
    with map(i=range(0, n - 1)):
        y[i] = u[i]
