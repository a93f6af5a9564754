@symbols(N=x.shape[0], M=x.shape[1])
def f(x: f64[N, M], y: f64[N, M]):
    m: f64[N]
    s: f64[N]
    e: f64[N, M]
    acc: f64
    alloc(m)
    with map(i=range(0, N)), private(acc):
        acc = f64("-inf")
        with map(j=range(0, M)):
            acc = wcr.max(x[i, j])
        m[i] = acc
    alloc(e)
    with map(i=range(0, N), j=range(0, M)):
        e[i, j] = exp(x[i, j] - m[i])
    alloc(s)
    with map(k=range(0, N)):
        s[k] = 0.0
    with map(k=range(0, N), j=range(0, M)):
        s[k] += e[k, j]
    with map(i=range(0, N), j=range(0, M)):
        y[i, j] = e[i, j] / s[i]
# --- after ---
@symbols(N=x.shape[0], M=x.shape[1])
def f(x: f64[N, M], y: f64[N, M]):
    m: f64[N]
    s: f64[N]
    e: f64[N, M]
    acc: f64
    acc_1: f64
    acc_2: f64
    alloc(m)
    alloc(e)
    if 64 <= M and (128 <= N or M <= 2048):
        with map(i_1=range(0, N)), threads(256), private(acc_1):
            acc_1 = f64("-inf")
            with map(j_1=range(0, M)), schedule("block"):
                acc_1 = wcr.max(x[i_1, j_1])
            m[i_1] = acc_1
            with map(j_1=range(0, M)), schedule("block"):
                e[i_1, j_1] = exp(x[i_1, j_1] - m[i_1])
    else:
        if 64 <= M:
            with map(i_2=range(0, N)), threads(256), private(acc_2):
                acc_2 = f64("-inf")
                with map(j_2=range(0, M)), schedule("block"):
                    acc_2 = wcr.max(x[i_2, j_2])
                m[i_2] = acc_2
        else:
            with map(i=range(0, N)), private(acc):
                acc = f64("-inf")
                with map(j=range(0, M)):
                    acc = wcr.max(x[i, j])
                m[i] = acc
        with map(i=range(0, N), j=range(0, M)):
            e[i, j] = exp(x[i, j] - m[i])
    alloc(s)
    if 64 <= M and (128 <= N or M <= 2048):
        with map(k_1=range(0, N)), threads(256):
            s[k_1] = 0.0
            with map(j_3=range(0, M)), schedule("block"):
                s[k_1] += e[k_1, j_3]
            with map(j_3=range(0, M)), schedule("block"):
                y[k_1, j_3] = e[k_1, j_3] / s[k_1]
    else:
        with map(k=range(0, N)):
            s[k] = 0.0
        if 64 <= M:
            with map(k_2=range(0, N)), threads(256):
                with map(j_4=range(0, M)), schedule("block"):
                    s[k_2] += e[k_2, j_4]
        else:
            with map(k=range(0, N), j=range(0, M)):
                s[k] += e[k, j]
        with map(i=range(0, N), j=range(0, M)):
            y[i, j] = e[i, j] / s[i]
