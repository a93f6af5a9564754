@symbols(N=x.shape[0], M=x.shape[1], S=x.strides[0], L=h.shape[0])
def p(x: f64[N, M].strides(S, 1), y: f64[N, M], h: f16[L]) -> python(f64):
    s: f64
    t: f64
    u: f64
    s = 0.0
    t = 0.0
    u = 0.0
    with map(i=range(0, N), j=range(0, M)), schedule("seq", "seq"):
        s += x[i, j]
        t += y[i, j]
        u += x[i, M - 1 - j]
    with map(i=range(0, N), j=range(0, M)), schedule("seq", "seq"):
        s += x[i, j] * y[i, j]
    with map(i=range(0, L)), schedule("seq"):
        t += f64(h[2 * i])
    with map(i=range(0, 2), j=range(0, 3)), schedule("seq", "seq"):
        u += x[i, j]
    return s + t + u
# --- after ---
@symbols(N=x.shape[0], M=x.shape[1], S=x.strides[0], L=h.shape[0])
def p(x: f64[N, M].strides(S, 1), y: f64[N, M], h: f16[L]) -> python(f64):
    s: f64
    t: f64
    u: f64
    s = 0.0
    t = 0.0
    u = 0.0
    with map(i=range(0, N), j=range(0, M)), schedule("seq", "seq"), blocks(2), in_place(1), buffered(S, 1):
        s += x[i, j]
    with map(i=range(0, N), j=range(0, M)), schedule("seq", "seq"), blocks(2), in_place(2):
        t += y[i, j]
    with map(i=range(0, N), j=range(0, M)), schedule("seq", "seq"), blocks(2), buffered(S, -1):
        u += x[i, M - 1 - j]
    with map(i=range(0, N), j=range(0, M)), schedule("seq", "seq"), blocks(2):
        s += x[i, j] * y[i, j]
    with map(i=range(0, L)), schedule("seq"), blocks(1), buffered(2, converted=True):
        t += f64(h[2 * i])
    with map(i=range(0, 2), j=range(0, 3)), schedule("seq", "seq"):
        u += x[i, j]
    return s + t + u
