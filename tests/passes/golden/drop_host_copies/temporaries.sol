@symbols(N=A.shape[0])
def f(A: f64[N]) -> array(f64, 1):
    t: f64[N]
    out: f64[N]
    seen: f64[N]
    A_dev: f64[N].storage("cuda").mirror(A)
    t_dev: f64[N].storage("cuda").mirror(t)
    out_dev: f64[N].storage("cuda").mirror(out)
    seen_dev: f64[N].storage("cuda").mirror(seen)
    alloc(A_dev)
    alloc(t)
    alloc(t_dev)
    alloc(out)
    alloc(out_dev)
    alloc(seen)
    alloc(seen_dev)
    copy(A_dev[0:N], A[0:N])
    with map(i=range(0, N)), schedule("grid"), threads(256):
        t_dev[i] = A_dev[i] * 2.0
        seen_dev[i] = A_dev[i]
    copy(seen[0:N], seen_dev[0:N])
    with map(i_1=range(0, N)), schedule("grid"), threads(256):
        out_dev[i_1] = t_dev[i_1] + 1.0
    copy(out[0:N], out_dev[0:N])
    for k in range(0, N):
        seen[k] = seen[k] + out[k]
    return seen[0:N]
# --- after ---
@symbols(N=A.shape[0])
def f(A: f64[N]) -> array(f64, 1):
    out: f64[N]
    seen: f64[N]
    A_dev: f64[N].storage("cuda").mirror(A)
    t_dev: f64[N].storage("cuda")
    out_dev: f64[N].storage("cuda").mirror(out)
    seen_dev: f64[N].storage("cuda").mirror(seen)
    alloc(A_dev)
    alloc(t_dev)
    alloc(out)
    alloc(out_dev)
    alloc(seen)
    alloc(seen_dev)
    copy(A_dev[0:N], A[0:N])
    with map(i=range(0, N)), schedule("grid"), threads(256):
        t_dev[i] = A_dev[i] * 2.0
        seen_dev[i] = A_dev[i]
    copy(seen[0:N], seen_dev[0:N])
    with map(i_1=range(0, N)), schedule("grid"), threads(256):
        out_dev[i_1] = t_dev[i_1] + 1.0
    copy(out[0:N], out_dev[0:N])
    for k in range(0, N):
        seen[k] = seen[k] + out[k]
    return seen[0:N]
