@symbols(N=a.shape[0])
def f(a: f64[N], at: i64[N]):
    for k in range(0, N):
        with map(i=range(0, N)):
            a[i] = a[i] * 0.5
        if at[k] >= N:
            raise builtins.IndexError("{0}", at[k])
        a[at[k]] = 0.0
    return
# --- after ---
(unchanged)
