@guards(1 <= n)
def f(x: f64[24], w: f64[24], h: f64[16], c: i64[16], a: f64, b: f64, n: i64):
    for k in range(0, n):
        y: f64 = (x[k] - a) / b * 16.0
        j: i64 = max(min(i64(y), 15), 0)
        v: f64 = h[j] + w[k] * (y - f64(j))
        h[j] = v
    with map(i=range(0, n)), schedule("seq"):
        q: i64 = max(min(i64((x[i] - a) / b * 16.0 + a), 15), 0)
        c[q] += 1
# --- after ---
@guards(1 <= n)
def f(x: f64[24], w: f64[24], h: f64[16], c: i64[16], a: f64, b: f64, n: i64):
    ahead: i64[256].storage("register")
    ahead_1: f64[256].storage("register")
    ahead_2: i64[256].storage("register")
    end: i64 = n
    for first in range(0, end, 256):
        with map(k_1=range(first, min(end, first + 256))), schedule("lanes"):
            y_1: f64 = (x[k_1] - a) / b * 16.0
            j_1: i64 = max(min(i64(y_1), 15), 0)
            ahead[k_1 - first] = j_1
            ahead_1[k_1 - first] = w[k_1] * (y_1 - f64(j_1))
        for k in range(first, min(end, first + 256)):
            v: f64 = h[ahead[k - first]] + ahead_1[k - first]
            h[ahead[k - first]] = v
    end_1: i64 = n
    for first_1 in range(0, end_1, 256):
        with map(i_1=range(first_1, min(end_1, first_1 + 256))), schedule("lanes"):
            q_1: i64 = max(min(i64((x[i_1] - a) / b * 16.0 + a), 15), 0)
            ahead_2[i_1 - first_1] = q_1
        with map(i=range(first_1, min(end_1, first_1 + 256))), schedule("seq"):
            c[ahead_2[i - first_1]] += 1
