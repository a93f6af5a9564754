@symbols(N=x.shape[0])
def f(x: f64[N], y: f64[N]):
    m: b1[N]
    m2: b1[N]
    s: f64
    s2: f64
    s3: f64
    s4: f64
    alloc(m)
    with map(i=range(0, N)):
        m[i] = x[i] > 0.0
    s = 0.0
    with map(i1=range(0, N)):
        s += x[i1] if m[i1] else 0.0
    alloc(m2)
    with map(i2=range(0, N)):
        m2[i2] = x[i2] > 0.0
    s2 = 0.0
    with map(i3=range(0, N)):
        s2 += x[i3] if m2[i3] else 0.0
    s3 = 1.0
    with map(i4=range(0, N)):
        s3 += x[i4] if m2[i4] else 0.0
    x[0] = s + s2 + s3
    s4 = 0.0
    with map(i5=range(0, N)):
        s4 += x[i5] if m2[i5] else 0.0
    x[1] = s4
# --- after ---
@symbols(N=x.shape[0])
def f(x: f64[N], y: f64[N]):
    m: b1[N]
    s: f64
    s3: f64
    s4: f64
    alloc(m)
    with map(i=range(0, N)):
        m[i] = x[i] > 0.0
    s = 0.0
    with map(i1=range(0, N)):
        s += x[i1] if m[i1] else 0.0
    s3 = 1.0
    with map(i4=range(0, N)):
        s3 += x[i4] if m[i4] else 0.0
    x[0] = s + s + s3
    s4 = 0.0
    with map(i5=range(0, N)):
        s4 += x[i5] if m[i5] else 0.0
    x[1] = s4
