@symbols(N=A.shape[0])
def f(A: f64[N].alias("g"), B: f64[N].alias("g"), C: f64[N], n: i64) -> array(f64, 1):
    u: f64[:].ref("C", A)
    v: f64[:].ref("C", C)
    other: f64[N]
    D: f64[N]
    bind(u, A[0:N])
    bind(v, C[0:N])
    alloc(other)
    alloc(D)
    for t in range(0, n):
        with map(i=range(0, N)):
            other[i] = u[i] + f64(t)
        with map(j=range(0, N)):
            D[j] = v[0] * f64(u.shape[0])
        bind(u, other[0:N])
        B[0] = u[0]
    return D[0:N]
# --- after ---
@symbols(N=A.shape[0])
def f(A: f64[N].alias("g"), B: f64[N].alias("g"), C: f64[N], n: i64) -> array(f64, 1):
    u: f64[:].ref("C", A)
    v: f64[:].ref("C", C)
    other: f64[N]
    D: f64[N]
    C_dev: f64[N].storage("cuda").mirror(C)
    D_dev: f64[N].storage("cuda").mirror(D)
    v_dev: f64[:].ref("C", C_dev).storage("cuda").mirror(v)
    alloc(C_dev)
    bind(u, A[0:N])
    bind(v_dev, C_dev[0:N])
    bind(v, C[0:N])
    alloc(other)
    alloc(D)
    alloc(D_dev)
    for t in range(0, n):
        with map(i=range(0, N)):
            other[i] = u[i] + f64(t)
        copy(D_dev[0:N], D[0:N])
        copy(v_dev[0:v.shape[0]], v[0:v.shape[0]])
        with map(j=range(0, N)), schedule("grid"), threads(256):
            D_dev[j] = v_dev[0] * f64(u.shape[0])
        copy(D[0:N], D_dev[0:N])
        bind(u, other[0:N])
        B[0] = u[0]
    return D[0:N]
