@symbols(N=u.shape[0])
@guards(3 <= N)
def relax(u: f64[N], v: f64[N], seen: i64[N]) -> (scalar(i64), scalar(f64)):
    steps: i64
    err: f64
    steps = 0
    err = 1.0
    while err > 0.001:
        with map(i=range(0, N - 2)):
            v[i + 1] = 0.25 * (u[i] + u[i + 2])
        err = 0.0
        with map(i_1=range(0, N)):
            err = wcr.max(abs(v[i_1]))
        for k in range(0, 2):
            with map(i_2=range(0, N)):
                u[i_2] = 0.5 * v[i_2]
            if u[0] > 100.0:
                break
        steps = steps + 1
        seen[steps % N] = steps
        if steps > 40:
            break
    return steps, err
# --- after ---
@symbols(N=u.shape[0])
@guards(3 <= N)
def relax(u: f64[N], v: f64[N], seen: i64[N]) -> (scalar(i64), scalar(f64)):
    steps: i64
    err: f64
    err_1: f64
    steps_1: i64
    err_there: f64[()]
    steps_there: i64[()]
    steps = 0
    err = 1.0
    if 0.0 < 16.0 * ((f64(N) - 2.0) * 6.0 * -3.5606060606060608e-06 + 2.0 + (f64(N) * 3.0 * -6.606060606060607e-05 + 2.0) + 2.0 * (f64(N) * 3.0 * -3.5606060606060608e-06 + 2.0)):
        alloc(err_there)
        alloc(steps_there)
        with map(one=range(0, 1)), cluster((max(N, 0) + 511) // 512 if 4096 <= max(N, 0) else 1), private(err_1, steps_1):
            err_1 = err
            steps_1 = steps
            while err_1 > 0.001:
                with map(i_3=range(0, N - 2)), schedule("cluster"):
                    v[i_3 + 1] = 0.25 * (u[i_3] + u[i_3 + 2])
                err_1 = 0.0
                with map(i_1_1=range(0, N)), schedule("block"):
                    err_1 = wcr.max(abs(v[i_1_1]))
                for k_1 in range(0, 2):
                    with map(i_2_1=range(0, N)), schedule("cluster"):
                        u[i_2_1] = 0.5 * v[i_2_1]
                    if u[0] > 100.0:
                        break
                steps_1 = steps_1 + 1
                seen[steps_1 % N] = steps_1
                if steps_1 > 40:
                    break
            err_there[()] = err_1
            steps_there[()] = steps_1
        err = err_there[()]
        steps = steps_there[()]
    else:
        while err > 0.001:
            with map(i=range(0, N - 2)):
                v[i + 1] = 0.25 * (u[i] + u[i + 2])
            err = 0.0
            with map(i_1=range(0, N)):
                err = wcr.max(abs(v[i_1]))
            for k in range(0, 2):
                with map(i_2=range(0, N)):
                    u[i_2] = 0.5 * v[i_2]
                if u[0] > 100.0:
                    break
            steps = steps + 1
            seen[steps % N] = steps
            if steps > 40:
                break
    return steps, err
