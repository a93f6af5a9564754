@symbols(N=x.shape[0], M=x.shape[1], K=h.shape[0])
def f(x: i64[N, M], h: i64[K]):
    for i in range(0, N):
        for j in range(0, M):
            t: i64 = x[i, j]
            if t < 0 or t >= K:
                raise builtins.IndexError("no")
            if h[0] == t:
                raise builtins.ValueError("changes")
            h[t] = h[t] + 1
    for i in range(0, N):
        for j in range(0, M):
            t2: i64 = x[i, j]
            if t2 < 0 or t2 >= K:
                raise builtins.IndexError("no")
            h[t2] = h[t2] + 1
    return
# --- after ---
@symbols(N=x.shape[0], M=x.shape[1], K=h.shape[0])
def f(x: i64[N, M], h: i64[K]):
    first: i64
    for i in range(0, N):
        for j in range(0, M):
            t: i64 = x[i, j]
            if t < 0 or t >= K:
                raise builtins.IndexError("no")
            if h[0] == t:
                raise builtins.ValueError("changes")
            h[t] = h[t] + 1
    first = N
    with map(i_1=range(0, N), j_1=range(0, M)):
        first = wcr.min(i_1 if x[i_1, j_1] < 0 or x[i_1, j_1] >= K else N)
    first_1: i64 = first
    for i in range(0, first_1):
        for j in range(0, M):
            t2: i64 = x[i, j]
            h[t2] = h[t2] + 1
    if first_1 < N:
        for j_2 in range(0, M):
            t2_1: i64 = x[first_1, j_2]
            if t2_1 < 0 or t2_1 >= K:
                raise builtins.IndexError("no")
            h[t2_1] = h[t2_1] + 1
    return
