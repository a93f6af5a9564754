@symbols(N=A.shape[0])
@guards(1 <= N)
def f(A: f64[N], n: i64) -> scalar(f64):
    A_dev: f64[N].storage("cuda").mirror(A)
    t: f64[k + 1].storage("cuda")
    few: f64[min(k + 1, 64)].storage("cuda")
    some: f64[k + 1].storage("cuda")
    kept: f64[:].ref("C", some).storage("cuda")
    s: f64[()]
    s_dev: f64[()].storage("cuda").mirror(s)
    alloc(A_dev)
    alloc(s)
    alloc(s_dev)
    copy(A_dev[0:N], A[0:N])
    for k in range(0, N):
        alloc(t)
        alloc(few)
        with map(i=range(0, k + 1)), schedule("grid"), threads(256):
            t[i] = A_dev[i]
        with map(i_2=range(0, min(k + 1, 64))), schedule("grid"), threads(256):
            few[i_2] = t[i_2] + 1.0
        with map(one=range(0, 1)), schedule("grid"), threads(256):
            s_dev[()] = few[0] + t[k]
        copy(s[()], s_dev[()])
        if k == n:
            return s[()]
    for k_2 in range(0, N):
        for k in range(0, N):
            alloc(some)
            with map(i_4=range(0, k + 1)), schedule("grid"), threads(256):
                some[i_4] = A_dev[i_4]
            bind(kept, some[0:k + 1])
    return 0.0
# --- after ---
@symbols(N=A.shape[0])
@guards(1 <= N)
def f(A: f64[N], n: i64) -> scalar(f64):
    A_dev: f64[N].storage("cuda").mirror(A)
    t: f64[k + 1].storage("cuda")
    few: f64[max(0, min(N, 64))].storage("cuda")
    some: f64[k + 1].storage("cuda")
    kept: f64[:].ref("C", some).storage("cuda")
    s: f64[()]
    s_dev: f64[()].storage("cuda").mirror(s)
    alloc(A_dev)
    alloc(s)
    alloc(s_dev)
    copy(A_dev[0:N], A[0:N])
    alloc(few)
    for k in range(0, N):
        alloc(t)
        with map(i=range(0, k + 1)), schedule("grid"), threads(256):
            t[i] = A_dev[i]
        with map(i_2=range(0, min(k + 1, 64))), schedule("grid"), threads(256):
            few[i_2] = t[i_2] + 1.0
        with map(one=range(0, 1)), schedule("grid"), threads(256):
            s_dev[()] = few[0] + t[k]
        copy(s[()], s_dev[()])
        if k == n:
            return s[()]
    for k_2 in range(0, N):
        for k in range(0, N):
            alloc(some)
            with map(i_4=range(0, k + 1)), schedule("grid"), threads(256):
                some[i_4] = A_dev[i_4]
            bind(kept, some[0:k + 1])
    return 0.0
