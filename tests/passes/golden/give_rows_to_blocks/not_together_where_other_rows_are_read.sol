@symbols(N=x.shape[0], M=x.shape[1])
def f(x: f64[N, M], y: f64[N, M], s: f64[N]):
    acc: f64
    with map(i=range(0, N)), private(acc):
        acc = f64("-inf")
        with map(j=range(0, M)):
            acc = wcr.max(x[i, j])
        s[i] = acc
    with map(i=range(0, N), j=range(0, M)):
        y[i, j] = x[i, j] - s[N - 1 - i]
# --- after ---
@symbols(N=x.shape[0], M=x.shape[1])
def f(x: f64[N, M], y: f64[N, M], s: f64[N]):
    acc: f64
    acc_1: f64
    if 64 <= M:
        with map(i_1=range(0, N)), threads(256), private(acc_1):
            acc_1 = f64("-inf")
            with map(j_1=range(0, M)), schedule("block"):
                acc_1 = wcr.max(x[i_1, j_1])
            s[i_1] = acc_1
    else:
        with map(i=range(0, N)), private(acc):
            acc = f64("-inf")
            with map(j=range(0, M)):
                acc = wcr.max(x[i, j])
            s[i] = acc
    with map(i=range(0, N), j=range(0, M)):
        y[i, j] = x[i, j] - s[N - 1 - i]
