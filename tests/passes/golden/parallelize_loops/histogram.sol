@symbols(N=k.shape[0], M=h.shape[0])
def f(k: i64[N], h: i64[M]):
    for i in range(0, N):
        h[k[i]] = h[k[i]] + 1
# --- after ---
@symbols(N=k.shape[0], M=h.shape[0])
def f(k: i64[N], h: i64[M]):
    with map(i=range(0, N)):
        h[k[i]] += 1
