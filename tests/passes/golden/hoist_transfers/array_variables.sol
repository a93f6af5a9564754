@symbols(N=A.shape[0])
def relax(A: f64[N], T: i64) -> array(f64, 1, base=A):
    u: f64[:].ref("C", A)
    new: f64[N]
    A_dev: f64[N].storage("cuda").mirror(A)
    new_dev: f64[N].storage("cuda").mirror(new)
    u_dev: f64[:].ref("C", A_dev).storage("cuda").mirror(u)
    alloc(A_dev)
    bind(u_dev, A_dev[0:N])
    bind(u, A[0:N])
    for t in range(0, T):
        alloc(new)
        alloc(new_dev)
        copy(u_dev[0:u.shape[0]], u[0:u.shape[0]])
        with map(i=range(0, N)), schedule("grid"), threads(256):
            new_dev[i] = u_dev[i] * 0.5 + 1.0
        copy(new[0:N], new_dev[0:N])
        bind(u_dev, new_dev[0:N])
        bind(u, new[0:N])
    return u[0:N]
# --- after ---
@symbols(N=A.shape[0])
def relax(A: f64[N], T: i64) -> array(f64, 1, base=A):
    u: f64[:].ref("C", A)
    new: f64[N]
    A_dev: f64[N].storage("cuda").mirror(A)
    new_dev: f64[N].storage("cuda").mirror(new)
    u_dev: f64[:].ref("C", A_dev).storage("cuda").mirror(u)
    alloc(A_dev)
    bind(u_dev, A_dev[0:N])
    bind(u, A[0:N])
    copy(u_dev[0:u.shape[0]], u[0:u.shape[0]])
    for t in range(0, T):
        alloc(new)
        alloc(new_dev)
        with map(i=range(0, N)), schedule("grid"), threads(256):
            new_dev[i] = u_dev[i] * 0.5 + 1.0
        bind(u_dev, new_dev[0:N])
        bind(u, new[0:N])
    copy(A[0:N], A_dev[0:N])
    copy(u[0:u.shape[0]], u_dev[0:u.shape[0]])
    return u[0:N]
