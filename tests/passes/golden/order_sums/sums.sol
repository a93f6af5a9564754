@symbols(N=x.shape[0], M=x.shape[1])
def p(x: f64[N, M], y: f64[N], k: i64[N], most: f64[N]) -> python(f64):
    s: f64
    t: i64
    s = 0.0
    t = 0
    with map(i=range(0, N), j=range(0, M)), schedule("seq", "seq"):
        s += x[i, j]
    with map(i=range(0, N), j=range(0, M)), schedule("seq", "seq"):
        y[i] += x[i, j]
    with map(i=range(0, N), j=range(0, M)), schedule("seq", "seq"):
        most[i] = wcr.max(x[i, j])
    with map(i=range(0, N), j=range(0, i)), schedule("seq", "seq"):
        s += x[i, j]
    with map(i=range(0, N)), schedule("seq"):
        for j in range(0, M):
            s += x[i, j]
    with map(i=range(0, N)), schedule("seq"):
        t += k[i]
    return s
# --- after ---
@symbols(N=x.shape[0], M=x.shape[1])
def p(x: f64[N, M], y: f64[N], k: i64[N], most: f64[N]) -> python(f64):
    s: f64
    t: i64
    s = 0.0
    t = 0
    with map(i=range(0, N), j=range(0, M)), schedule("seq", "seq"), blocks(2), in_place(2):
        s += x[i, j]
    with map(i=range(0, N), j=range(0, M)), schedule("seq", "seq"), blocks(1), in_place(1):
        y[i] += x[i, j]
    with map(i=range(0, N), j=range(0, M)), schedule("seq", "seq"), blocks(1), in_place(1):
        most[i] = wcr.max(x[i, j])
    with map(i=range(0, N), j=range(0, i)), schedule("seq", "seq"), blocks(1), in_place(1):
        s += x[i, j]
    with map(i=range(0, N)), schedule("seq"), blocks(0):
        for j in range(0, M):
            s += x[i, j]
    with map(i=range(0, N)), schedule("seq"):
        t += k[i]
    return s
