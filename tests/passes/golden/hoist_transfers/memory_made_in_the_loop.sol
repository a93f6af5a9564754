@symbols(N=A.shape[0])
def f(A: f64[N], n: i64) -> scalar(f64):
    s: f64
    t: f64[N]
    A_dev: f64[N].storage("cuda").mirror(A)
    t_dev: f64[N].storage("cuda").mirror(t)
    alloc(A_dev)
    s = 0.0
    for k in range(0, n):
        alloc(t)
        alloc(t_dev)
        copy(A_dev[0:N], A[0:N])
        with map(i=range(0, N)), schedule("grid"):
            t_dev[i] = A_dev[i] + 1.0
        copy(t[0:N], t_dev[0:N])
        with map(j=range(0, N)):
            s = wcr.max(t[j])
    return s
# --- after ---
@symbols(N=A.shape[0])
def f(A: f64[N], n: i64) -> scalar(f64):
    s: f64
    t: f64[N]
    A_dev: f64[N].storage("cuda").mirror(A)
    t_dev: f64[N].storage("cuda").mirror(t)
    alloc(A_dev)
    s = 0.0
    copy(A_dev[0:N], A[0:N])
    for k in range(0, n):
        alloc(t)
        alloc(t_dev)
        with map(i=range(0, N)), schedule("grid"):
            t_dev[i] = A_dev[i] + 1.0
        copy(t[0:N], t_dev[0:N])
        with map(j=range(0, N)):
            s = wcr.max(t[j])
    return s
