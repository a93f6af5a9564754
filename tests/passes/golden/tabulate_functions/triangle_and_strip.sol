@guards(1 <= n, 1 <= m)
def f(a: f64[24, 24], b: f64[24, 24], x: f64, n: i64, m: i64):
    for i in range(n - 1, -1, -1):
        for j in range(0, i + 1):
            a[i, j] = x * libm_pow(x, f64(2 * j - i))
    with map(p=range(0, n)):
        with map(q=range(0, m)):
            s: f64 = libm_sin(f64(q) * x) + libm_sin(f64(q - p) + x)
            b[p, q] = s * a[p, q]
# --- after ---
@guards(1 <= n, 1 <= m)
def f(a: f64[24, 24], b: f64[24, 24], x: f64, n: i64, m: i64):
    table: f64[size]
    table_1: f64[size_1]
    table_2: f64[size_2]
    size: i64 = 2 * n - 1
    if 0 < size and 200 * size <= max(n, 0) + 46 * (n // 2 * max(n, 0)):
        alloc(table)
        with map(k=range(0, size)):
            table[k] = libm_pow(x, f64(k - n + 1))
        for i in range(n - 1, -1, -1):
            for j in range(0, i + 1):
                a[i, j] = x * table[2 * j + n - i - 1]
    else:
        for i in range(n - 1, -1, -1):
            for j in range(0, i + 1):
                a[i, j] = x * libm_pow(x, f64(2 * j - i))
    size_1: i64 = m + n - 1
    size_2: i64 = m
    if 0 < size_1 and 200 * size_1 <= 49 * (m * n) and 0 < size_2 and 200 * size_2 <= 49 * (m * n):
        alloc(table_1)
        with map(k_1=range(0, size_1)):
            table_1[k_1] = libm_sin(f64(k_1 - n + 1) + x)
        alloc(table_2)
        with map(k_2=range(0, size_2)):
            table_2[k_2] = libm_sin(f64(k_2) * x)
        with map(p=range(0, n)):
            with map(q=range(0, m)):
                s: f64 = table_2[q] + table_1[n + q - p - 1]
                b[p, q] = s * a[p, q]
    else:
        with map(p=range(0, n)):
            with map(q=range(0, m)):
                s: f64 = libm_sin(f64(q) * x) + libm_sin(f64(q - p) + x)
                b[p, q] = s * a[p, q]
