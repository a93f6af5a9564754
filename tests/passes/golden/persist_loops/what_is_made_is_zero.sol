@symbols(N=a.shape[0])
def f(a: f64[N], b: f64[N]):
    t: f64[N - k, k + 1]
    for k in range(0, N):
        alloc(t, zero=True)
        with map(i=range(0, N - k)):
            t[i, 0] = a[i] * 0.5
        with map(i_1=range(0, N - k), j=range(0, k + 1)):
            b[i_1] += t[i_1, j] * f64(t.shape[1])
        with map(i_2=range(0, N - k)):
            a[i_2] = b[i_2]
    return
# --- after ---
@symbols(N=a.shape[0])
def f(a: f64[N], b: f64[N]):
    t: f64[N - k, k + 1]
    t_1: f64[max(N, 0), max(N, 0)]
    b_acc: f64
    b_lost: f64
    if 0.0 < f64(N) * ((f64(N) - f64(N) / 2.0) * (f64(N) / 2.0 + 1.0) * -3.5606060606060608e-06 + 2.0 + ((f64(N) - f64(N) / 2.0) * 3.0 * -6.606060606060607e-05 + 2.0) + ((f64(N) - f64(N) / 2.0) * ((f64(N) / 2.0 + 1.0) * 19.0 + 13.0) * -6.606060606060607e-05 + 2.0) + ((f64(N) - f64(N) / 2.0) * 2.0 * -6.606060606060607e-05 + 2.0)):
        alloc(t_1)
        with map(one=range(0, 1)), cluster((max(0, N + N * (N // 2) - N // 2 - N // 2 * (N // 2)) + 511) // 512 if 4096 <= max(0, N + N * (N // 2) - N // 2 - N // 2 * (N // 2)) else 1):
            for k in range(0, N):
                with map(z=range(0, N - k), z_1=range(0, k + 1)), schedule("cluster", "cluster"):
                    t_1[z, z_1] = 0.0
                with map(i_3=range(0, N - k)), schedule("block"):
                    t_1[i_3, 0] = a[i_3] * 0.5
                with map(i_1_1=range(0, N - k)), schedule("block"), private(b_acc, b_lost):
                    b_acc = -0.0
                    b_lost = -0.0
                    for j_1 in range(0, k + 1):
                        term: f64 = t_1[i_1_1, j_1] * f64(k + 1)
                        old: f64 = b_acc
                        new: f64 = old + term
                        b_lost = b_lost + (old - new + term if abs(old) >= abs(term) else term - new + old)
                        b_acc = new
                    b[i_1_1] += b_acc if b_lost == 0.0 or isnan(b_lost) else b_acc + b_lost
                with map(i_2_1=range(0, N - k)), schedule("block"):
                    a[i_2_1] = b[i_2_1]
    else:
        for k in range(0, N):
            alloc(t, zero=True)
            with map(i=range(0, N - k)):
                t[i, 0] = a[i] * 0.5
            with map(i_1=range(0, N - k), j=range(0, k + 1)):
                b[i_1] += t[i_1, j] * f64(t.shape[1])
            with map(i_2=range(0, N - k)):
                a[i_2] = b[i_2]
    return
