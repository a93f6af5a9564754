@symbols(N=a.shape[0])
def f(a: f64[N], b: i64[N]):
    for i in range(0, N):
        if b[i] < 0 or b[i] >= N:
            raise builtins.IndexError("index {0} is out of bounds", b[i])
        a[i] = 1.0
# --- after ---
(unchanged)
