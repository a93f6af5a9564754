@symbols(N=a.shape[0])
def f(a: f64[N]) -> scalar(f64):
    r: f64[3].storage("register")
    s: f64
    s = 0.0
    for k in range(0, N):
        with map(i=range(0, 3)):
            r[i] = a[k] * f64(i)
        with map(j=range(0, 3)):
            s += r[2 - j]
    return s
# --- after ---
@symbols(N=a.shape[0])
def f(a: f64[N]) -> scalar(f64):
    r: f64[3].storage("register")
    s: f64
    s_1: f64
    r_1: f64[3]
    s_there: f64[()]
    s = 0.0
    if 0.0 < f64(N) * 3.998612727272727:
        alloc(r_1)
        alloc(s_there)
        with map(one=range(0, 1)), private(s_1):
            s_1 = s
            for k_1 in range(0, N):
                with map(i_1=range(0, 3)), schedule("block"):
                    r_1[i_1] = a[k_1] * f64(i_1)
                with map(j_1=range(0, 3)), schedule("block"):
                    s_1 += r_1[2 - j_1]
            s_there[()] = s_1
        s = s_there[()]
    else:
        for k in range(0, N):
            with map(i=range(0, 3)):
                r[i] = a[k] * f64(i)
            with map(j=range(0, 3)):
                s += r[2 - j]
    return s
