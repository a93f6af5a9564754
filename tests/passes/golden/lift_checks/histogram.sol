@symbols(N=x.shape[0], M=h.shape[0])
def f(x: i64[N], h: i64[M]):
    for i in range(0, N):
        t: i64 = x[i]
        if t < -M or t >= M:
            raise builtins.IndexError("index {0} is out of bounds for axis 0 with size {1}", t, M)
        k: i64 = t + M if t < 0 else t
        old: i64 = h[k] + 1
        h[k] = old
    return
# --- after ---
@symbols(N=x.shape[0], M=h.shape[0])
def f(x: i64[N], h: i64[M]):
    first: i64
    first = N
    with map(i_1=range(0, N)):
        first = wcr.min(i_1 if x[i_1] < -M or x[i_1] >= M else N)
    first_1: i64 = first
    for i in range(0, first_1):
        t: i64 = x[i]
        k: i64 = t + M if t < 0 else t
        old: i64 = h[k] + 1
        h[k] = old
    if first_1 < N:
        t_1: i64 = x[first_1]
        if t_1 < -M or t_1 >= M:
            raise builtins.IndexError("index {0} is out of bounds for axis 0 with size {1}", t_1, M)
    return
