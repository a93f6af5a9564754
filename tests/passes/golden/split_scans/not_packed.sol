@symbols(N=x.shape[0])
def f(x: f64[N], m: b1[N], y: f64[2 * N + 2]):
    k: i64
    k = 0
    for i in range(0, N):
        if m[i]:
            x[k] = x[i]
            k = k + 1
    k = 0
    for i in range(0, N):
        if m[i]:
            y[k] = x[i]
            y[k + 1] = x[i]
            k = k + 1
    k = N
    for i in range(0, N):
        if m[i]:
            y[k] = x[i]
            k = k - 1
    k = 0
    for i in range(0, N):
        if k < 7:
            y[k] = x[i]
            k = k + 1
    k = 0
    for i in range(0, N):
        if m[i]:
            k = 0
            y[k] = x[i]
            k = k + 1
    k = 0
    for i in range(0, N):
        if m[i]:
            y[0] = x[i]
            k = k + 1
        else:
            y[k] = 0.0
    return
# --- after ---
(unchanged)
