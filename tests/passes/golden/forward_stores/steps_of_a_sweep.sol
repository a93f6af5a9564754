@symbols(N=a.shape[0])
def f(a: f64[N, N], k: i64[N], b: f32[N], x: f64):
    for i in range(1, N):
        for j in range(1, N):
            a[i, j] = a[i, j] + a[i, j - 1]
            a[i, j] = a[i, j] / 9.0
            k[j] = i
            k[j] = k[j] + k[j - 1]
            b[j] = f32(x)
# --- after ---
@symbols(N=a.shape[0])
def f(a: f64[N, N], k: i64[N], b: f32[N], x: f64):
    for i in range(1, N):
        for j in range(1, N):
            stored: f64 = a[i, j] + a[i, j - 1]
            a[i, j] = stored / 9.0
            k[j] = i
            k[j] = i + k[j - 1]
            b[j] = f32(x)
