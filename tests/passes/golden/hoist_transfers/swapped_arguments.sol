@symbols(N=A.shape[0])
@guards(2 <= N)
def swap(A: f64[N], B: f64[N], T: i64):
    u: f64[:].ref("C", A, B)
    v: f64[:].ref("C", A, B)
    w: f64[:].ref("C", A, B)
    A_dev: f64[N].storage("cuda").mirror(A)
    B_dev: f64[N].storage("cuda").mirror(B)
    u_dev: f64[:].ref("C", A_dev, B_dev).storage("cuda").mirror(u)
    v_dev: f64[:].ref("C", A_dev, B_dev).storage("cuda").mirror(v)
    w_dev: f64[:].ref("C", A_dev, B_dev).storage("cuda").mirror(w)
    alloc(A_dev)
    alloc(B_dev)
    bind(u_dev, A_dev[0:N])
    bind(u, A[0:N])
    bind(v_dev, B_dev[0:N])
    bind(v, B[0:N])
    for t in range(0, T):
        copy(A_dev[0:N], A[0:N])
        copy(B_dev[0:N], B[0:N])
        with map(i=range(0, N - 2)), schedule("grid"), threads(256):
            v_dev[i + 1] = u_dev[i] + u_dev[i + 2]
        copy(A[0:N], A_dev[0:N])
        copy(B[0:N], B_dev[0:N])
        bind(w_dev, u_dev[0:N])
        bind(w, u[0:N])
        bind(u_dev, v_dev[0:N])
        bind(u, v[0:N])
        bind(v_dev, w_dev[0:N])
        bind(v, w[0:N])
        if t == 5:
            raise builtins.ValueError("{0}", t)
    return
# --- after ---
@symbols(N=A.shape[0])
@guards(2 <= N)
def swap(A: f64[N], B: f64[N], T: i64):
    u: f64[:].ref("C", A, B)
    v: f64[:].ref("C", A, B)
    w: f64[:].ref("C", A, B)
    A_dev: f64[N].storage("cuda").mirror(A)
    B_dev: f64[N].storage("cuda").mirror(B)
    u_dev: f64[:].ref("C", A_dev, B_dev).storage("cuda").mirror(u)
    v_dev: f64[:].ref("C", A_dev, B_dev).storage("cuda").mirror(v)
    w_dev: f64[:].ref("C", A_dev, B_dev).storage("cuda").mirror(w)
    alloc(A_dev)
    alloc(B_dev)
    bind(u_dev, A_dev[0:N])
    bind(u, A[0:N])
    bind(v_dev, B_dev[0:N])
    bind(v, B[0:N])
    copy(A_dev[0:N], A[0:N])
    copy(B_dev[0:N], B[0:N])
    for t in range(0, T):
        with map(i=range(0, N - 2)), schedule("grid"), threads(256):
            v_dev[i + 1] = u_dev[i] + u_dev[i + 2]
        bind(w_dev, u_dev[0:N])
        bind(w, u[0:N])
        bind(u_dev, v_dev[0:N])
        bind(u, v[0:N])
        bind(v_dev, w_dev[0:N])
        bind(v, w[0:N])
        if t == 5:
            raise builtins.ValueError("{0}", t)
    copy(A[0:N], A_dev[0:N])
    copy(B[0:N], B_dev[0:N])
    return
