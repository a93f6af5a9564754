@symbols(N=k.shape[0], M=h.shape[0])
def f(k: i64[N], h: i64[M]):
    for i in range(0, N):
        h[k[i]] = i
# --- after ---
(unchanged)
