@symbols(N=x.shape[0])
def f(x: f64[N]):
    for i in range(1, N):
        if x[0] < 0.0:
            raise builtins.ValueError("negative")
        x[i] = x[i - 1] + 1.0
    return
# --- after ---
(unchanged)
