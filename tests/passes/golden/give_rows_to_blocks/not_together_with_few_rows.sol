def f(x: f64[30, 5000], y: f64[30, 5000], s: f64[30]):
    acc: f64
    with map(i=range(0, 30)), private(acc):
        acc = f64("-inf")
        with map(j=range(0, 5000)):
            acc = wcr.max(x[i, j])
        s[i] = acc
    with map(i=range(0, 30), j=range(0, 5000)):
        y[i, j] = x[i, j] - s[i]
# --- after ---
def f(x: f64[30, 5000], y: f64[30, 5000], s: f64[30]):
    acc: f64
    acc_1: f64
    with map(i_1=range(0, 30)), threads(256), private(acc_1):
        acc_1 = f64("-inf")
        with map(j_1=range(0, 5000)), schedule("block"):
            acc_1 = wcr.max(x[i_1, j_1])
        s[i_1] = acc_1
    with map(i=range(0, 30), j=range(0, 5000)):
        y[i, j] = x[i, j] - s[i]
