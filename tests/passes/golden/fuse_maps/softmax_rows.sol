@symbols(N=x.shape[0], M=x.shape[1])
def softmax(x: f64[N, M]) -> array(f64, 2):
    m: f64[N]
    e: f64[N, M]
    s: f64[N]
    r: f64[N, M]
    alloc(m)
    with map(i0=range(0, N)):
        m[i0] = f64("-inf")
    with map(i1=range(0, N), j1=range(0, M)):
        m[i1] = wcr.max(x[i1, j1])
    alloc(e)
    with map(i2=range(0, N), j2=range(0, M)):
        e[i2, j2] = exp(x[i2, j2] - m[i2])
    alloc(s)
    with map(i3=range(0, N)):
        s[i3] = 0.0
    with map(i4=range(0, N), j4=range(0, M)):
        s[i4] += e[i4, j4]
    alloc(r)
    with map(i5=range(0, N), j5=range(0, M)):
        r[i5, j5] = e[i5, j5] / s[i5]
    return r[0:N, 0:M]
# --- after ---
@symbols(N=x.shape[0], M=x.shape[1])
def softmax(x: f64[N, M]) -> array(f64, 2):
    m: f64[N]
    e: f64[N, M]
    s: f64[N]
    r: f64[N, M]
    alloc(m)
    alloc(e)
    alloc(s)
    alloc(r)
    with map(i0=range(0, N)):
        m[i0] = f64("-inf")
        with map(j1=range(0, M)):
            m[i0] = wcr.max(x[i0, j1])
        s[i0] = 0.0
        with map(j2=range(0, M)):
            e[i0, j2] = exp(x[i0, j2] - m[i0])
            s[i0] += e[i0, j2]
        with map(j5=range(0, M)):
            r[i0, j5] = e[i0, j5] / s[i0]
    return r[0:N, 0:M]
