@symbols(N=a.shape[0], M=a.shape[1])
def f(a: f64[N, M], x: f64[M], out: f64[N]):
    s: f64
    m: f64
    with map(i=range(0, N)), private(s, m):
        m = a[i, 0]
        with map(j=range(1, M)):
            m = wcr.max(a[i, j])
        s = 0.0
        with map(k=range(0, M)):
            s += exp(a[i, k] - m)
        out[i] = s / m
    return
# --- after ---
@symbols(N=a.shape[0], M=a.shape[1])
def f(a: f64[N, M], x: f64[M], out: f64[N]):
    s: f64
    m: f64
    s_acc: f64
    s_lost: f64
    with map(i=range(0, N)), private(s, m, s_acc, s_lost):
        m = a[i, 0]
        with map(j=range(1, M)):
            m = wcr.max(a[i, j])
        s = 0.0
        s_acc = -0.0
        s_lost = -0.0
        for k in range(0, M):
            term: f64 = exp(a[i, k] - m)
            old: f64 = s_acc
            new: f64 = old + term
            s_lost = s_lost + (old - new + term if abs(old) >= abs(term) else term - new + old)
            s_acc = new
        s += s_acc if s_lost == 0.0 or isnan(s_lost) else s_acc + s_lost
        out[i] = s / m
    return
