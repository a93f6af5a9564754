@symbols(N=k.shape[0], M=h.shape[0])
def f(k: i64[N], h: f64[M]):
    with map(i=range(0, N)):
        j: i64 = k[i]
        h[j] += 1.0
# --- after ---
@symbols(N=k.shape[0], M=h.shape[0])
def f(k: i64[N], h: f64[M]):
    with map(i=range(0, N)), schedule("seq"):
        j: i64 = k[i]
        h[j] += 1.0
