@symbols(N=a.shape[0], M=a.shape[1])
def f(a: f64[N, M], b: f64[N, M], s: i64[M]):
    a_dev: f64[N, M].storage("cuda").mirror(a)
    b_dev: f64[N, M].storage("cuda").mirror(b)
    s_dev: i64[M].storage("cuda").mirror(s)
    alloc(a_dev)
    alloc(b_dev)
    alloc(s_dev)
    with map(i=range(0, N), j=range(0, M)), schedule("grid", "grid"), threads(8, 32):
        b_dev[i, j] = a_dev[i, j] * 2.0
    with map(i=range(0, N), j=range(1, M)), schedule("grid", "grid"), threads(8, 32):
        b_dev[i, j] = a_dev[i, j] + a_dev[i, j - 1]
    with map(i=range(1, N), j=range(0, i)), schedule("grid", "grid"), threads(8, 32):
        b_dev[i, j] = a_dev[i, j] + a_dev[i - 1, j]
    with map(i=range(1, N), j=range(0, M)), schedule("grid", "grid"), threads(8, 32):
        s_dev[j] += i64(a_dev[i, j] < a_dev[i - 1, j])
    with map(j=range(1, M)), schedule("grid"), threads(256):
        b_dev[0, j] = a_dev[0, j] + a_dev[0, j - 1]
    with map(i=range(1, N, 2), j=range(0, M)), schedule("grid", "grid"), threads(8, 32):
        b_dev[i, j] = a_dev[i, j] + a_dev[i - 1, j]
# --- after ---
(unchanged)
