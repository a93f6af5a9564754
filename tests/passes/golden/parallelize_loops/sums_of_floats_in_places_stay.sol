@symbols(N=x.shape[0], M=sums.shape[0])
@guards(M >= 4)
def f(x: u8[N], w: f64[N], sums: f64[M]):
    for k in range(0, N):
        t: u8 = x[k]
        s: f64 = sums[i64(t)] + w[k]
        sums[i64(t)] = s
# --- after ---
(unchanged)
