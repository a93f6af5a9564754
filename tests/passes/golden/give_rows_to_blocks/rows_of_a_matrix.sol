@symbols(N=a.shape[0], M=a.shape[1])
def f(a: f64[N, M], b: f32[N, M], most: f64[N], out: f64[N, M], mean: f32[N]):
    acc: f64
    sum: f32
    with map(i=range(0, N)), private(acc):
        acc = f64("-inf")
        with map(j=range(0, M)):
            acc = wcr.max(a[i, j])
        most[i] = acc
        with map(j_1=range(0, M)):
            out[i, j_1] = exp(a[i, j_1] - acc)
    with map(i_1=range(0, N)), private(sum):
        sum = f32(0.0)
        with map(j_2=range(0, M)):
            sum += b[i_1, j_2]
        mean[i_1] = sum
    return
# --- after ---
@symbols(N=a.shape[0], M=a.shape[1])
def f(a: f64[N, M], b: f32[N, M], most: f64[N], out: f64[N, M], mean: f32[N]):
    acc: f64
    sum: f32
    acc_1: f64
    sum_1: f32
    if 64 <= M:
        with map(i_2=range(0, N)), threads(256), private(acc_1):
            acc_1 = f64("-inf")
            with map(j_3=range(0, M)), schedule("block"):
                acc_1 = wcr.max(a[i_2, j_3])
            most[i_2] = acc_1
            with map(j_1_1=range(0, M)), schedule("block"):
                out[i_2, j_1_1] = exp(a[i_2, j_1_1] - acc_1)
    else:
        with map(i=range(0, N)), private(acc):
            acc = f64("-inf")
            with map(j=range(0, M)):
                acc = wcr.max(a[i, j])
            most[i] = acc
            with map(j_1=range(0, M)):
                out[i, j_1] = exp(a[i, j_1] - acc)
    if 64 <= M:
        with map(i_1_1=range(0, N)), threads(256), private(sum_1):
            sum_1 = f32(0.0)
            with map(j_2_1=range(0, M)), schedule("block"):
                sum_1 += b[i_1_1, j_2_1]
            mean[i_1_1] = sum_1
    else:
        with map(i_1=range(0, N)), private(sum):
            sum = f32(0.0)
            with map(j_2=range(0, M)):
                sum += b[i_1, j_2]
            mean[i_1] = sum
    return
