@symbols(N=A.shape[0], M=A.shape[1])
def f(A: f64[N, M], out: f64[N]):
    t: f64[M]
    z: i64[2, M]
    s: f64
    with map(i=range(0, N)), private(t, z, s):
        alloc(t)
        alloc(z, zero=True)
        with map(j=range(0, M)):
            t[j] = A[i, j] * 2.0
        s = 0.0
        for k in range(0, M):
            z[1, k] = z[1, k] + 1
            s = s + t[M - 1 - k] * f64(z[1, k])
        out[i] = s
    return
# --- after ---
@symbols(N=A.shape[0], M=A.shape[1])
def f(A: f64[N, M], out: f64[N]):
    t: f64[M]
    z: i64[2, M]
    s: f64
    t_scratch: f64[threads, M]
    z_scratch: i64[threads, 2, M]
    threads: i64 = min(min(4096, max(1, 33554432 // max(1, 3 * M))), max(N, 1))
    alloc(t_scratch)
    alloc(z_scratch)
    with map(p=range(0, threads)), private(s):
        for i in range(p, N, threads):
            with map(z_1=range(0, 2), z_2=range(0, M)):
                z_scratch[p, z_1, z_2] = 0
            with map(j=range(0, M)):
                t_scratch[p, j] = A[i, j] * 2.0
            s = 0.0
            for k in range(0, M):
                z_scratch[p, 1, k] = z_scratch[p, 1, k] + 1
                s = s + t_scratch[p, M - 1 - k] * f64(z_scratch[p, 1, k])
            out[i] = s
    return
