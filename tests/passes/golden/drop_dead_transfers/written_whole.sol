@symbols(N=A.shape[0], M=A.shape[1])
def f(A: f64[N, M], x: f64) -> array(f64, 2):
    out: f64[M, N]
    A_dev: f64[N, M].storage("cuda").mirror(A)
    out_dev: f64[M, N].storage("cuda").mirror(out)
    alloc(A_dev)
    alloc(out)
    alloc(out_dev)
    copy(A_dev[0:N, 0:M], A[0:N, 0:M])
    with map(i=range(0, N), j=range(0, M)), schedule("grid", "grid"):
        A_dev[i, M - 1 - j] = f64(i) * x
    copy(A[0:N, 0:M], A_dev[0:N, 0:M])
    copy(out_dev[0:M, 0:N], out[0:M, 0:N])
    with map(i_1=range(0, M)), schedule("grid"):
        for k in range(0, N):
            out_dev[i_1, k] = A_dev[k, i_1]
        for k_1 in range(1, N):
            out_dev[i_1, k_1] = out_dev[i_1, k_1] + out_dev[i_1, k_1 - 1]
    copy(out[0:M, 0:N], out_dev[0:M, 0:N])
    with map(i_2=range(0, M)), schedule("grid"):
        out_dev[i_2, 0] = x
    copy(out[0:M, 0:N], out_dev[0:M, 0:N])
    return out[0:M, 0:N]
# --- after ---
@symbols(N=A.shape[0], M=A.shape[1])
def f(A: f64[N, M], x: f64) -> array(f64, 2):
    out: f64[M, N]
    A_dev: f64[N, M].storage("cuda").mirror(A)
    out_dev: f64[M, N].storage("cuda").mirror(out)
    alloc(A_dev)
    alloc(out)
    alloc(out_dev)
    with map(i=range(0, N), j=range(0, M)), schedule("grid", "grid"):
        A_dev[i, M - 1 - j] = f64(i) * x
    copy(A[0:N, 0:M], A_dev[0:N, 0:M])
    with map(i_1=range(0, M)), schedule("grid"):
        for k in range(0, N):
            out_dev[i_1, k] = A_dev[k, i_1]
        for k_1 in range(1, N):
            out_dev[i_1, k_1] = out_dev[i_1, k_1] + out_dev[i_1, k_1 - 1]
    with map(i_2=range(0, M)), schedule("grid"):
        out_dev[i_2, 0] = x
    copy(out[0:M, 0:N], out_dev[0:M, 0:N])
    return out[0:M, 0:N]
