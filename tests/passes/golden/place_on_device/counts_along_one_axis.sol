@symbols(N=a.shape[0], M=a.shape[1])
def f(a: b1[N, M], out: i64[M], other: i64[N]):
    with map(i=range(0, N), j=range(0, M)):
        out[j] += i64(a[i, j])
    with map(i_1=range(0, N)):
        for k in range(0, i_1):
            other[i_1] = other[i_1] * 2 + k
    return
# --- after ---
@symbols(N=a.shape[0], M=a.shape[1])
def f(a: b1[N, M], out: i64[M], other: i64[N]):
    a_dev: b1[N, M].storage("cuda").mirror(a)
    other_dev: i64[N].storage("cuda").mirror(other)
    out_dev: i64[M].storage("cuda").mirror(out)
    alloc(a_dev)
    alloc(other_dev)
    alloc(out_dev)
    copy(a_dev[0:N, 0:M], a[0:N, 0:M])
    copy(out_dev[0:M], out[0:M])
    with map(j=range(0, M), i=range(0, N)), schedule("grid", "seq"), threads(256):
        out_dev[j] += i64(a_dev[i, j])
    copy(out[0:M], out_dev[0:M])
    copy(other_dev[0:N], other[0:N])
    with map(i_1=range(0, N)), schedule("grid"), threads(256):
        for k in range(0, i_1):
            other_dev[i_1] = other_dev[i_1] * 2 + k
    copy(other[0:N], other_dev[0:N])
    return
