@symbols(N=x.shape[0], M=counts.shape[0])
@guards(M >= 4)
def f(x: u8[N], counts: i64[M]):
    for k in range(0, N):
        t: u8 = x[k]
        n: i64 = counts[i64(t)] + 1
        counts[i64(t)] = n
# --- after ---
@symbols(N=x.shape[0], M=counts.shape[0])
@guards(M >= 4)
def f(x: u8[N], counts: i64[M]):
    with map(k=range(0, N)):
        t: u8 = x[k]
        counts[i64(t)] += 1
