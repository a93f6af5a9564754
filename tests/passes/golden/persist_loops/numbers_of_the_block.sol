@symbols(N=r.shape[0])
@guards(2 <= N)
def durbin(r: f64[N], y: f64[N]) -> scalar(f64):
    alpha: f64
    beta: f64
    dot: f64
    t: f64[k]
    alpha = -r[0]
    beta = 1.0
    for k in range(1, N):
        alloc(t)
        beta = beta * (1.0 - alpha * alpha)
        dot = 0.0
        with map(i=range(0, k)):
            dot += r[k - 1 - i] * y[i]
        alpha = -(r[k] + dot) / (beta + 10.0)
        with map(i_1=range(0, k)):
            t[i_1] = y[i_1] + alpha * y[k - 1 - i_1]
        with map(i_2=range(0, k)):
            y[i_2] = t[i_2]
        y[k] = alpha
    return alpha
# --- after ---
@symbols(N=r.shape[0])
@guards(2 <= N)
def durbin(r: f64[N], y: f64[N]) -> scalar(f64):
    alpha: f64
    beta: f64
    dot: f64
    t: f64[k]
    alpha_1: f64
    beta_1: f64
    dot_1: f64
    t_1: f64[max(0, N - 1)]
    alpha_there: f64[()]
    alpha = -r[0]
    beta = 1.0
    if 0.0 < (f64(N) - 1.0) * ((f64(N) + 1.0) / 2.0 * 6.0 * -6.606060606060607e-05 + 2.0 + ((f64(N) + 1.0) / 2.0 * 8.0 * -3.5606060606060608e-06 + 2.0) + ((f64(N) + 1.0) / 2.0 * 2.0 * -3.5606060606060608e-06 + 2.0) + 2.0):
        alloc(t_1)
        alloc(alpha_there)
        with map(one=range(0, 1)), cluster((max(0, (N + 1) // 2) + 511) // 512 if 4096 <= max(0, (N + 1) // 2) else 1), private(alpha_1, beta_1, dot_1):
            alpha_1 = alpha
            beta_1 = beta
            for k in range(1, N):
                beta_1 = beta_1 * (1.0 - alpha_1 * alpha_1)
                dot_1 = 0.0
                with map(i_3=range(0, k)), schedule("block"):
                    dot_1 += r[k - 1 - i_3] * y[i_3]
                alpha_1 = -(r[k] + dot_1) / (beta_1 + 10.0)
                with map(i_1_1=range(0, k)), schedule("cluster"):
                    t_1[i_1_1] = y[i_1_1] + alpha_1 * y[k - 1 - i_1_1]
                with map(i_2_1=range(0, k)), schedule("cluster"):
                    y[i_2_1] = t_1[i_2_1]
                y[k] = alpha_1
            alpha_there[()] = alpha_1
        alpha = alpha_there[()]
    else:
        for k in range(1, N):
            alloc(t)
            beta = beta * (1.0 - alpha * alpha)
            dot = 0.0
            with map(i=range(0, k)):
                dot += r[k - 1 - i] * y[i]
            alpha = -(r[k] + dot) / (beta + 10.0)
            with map(i_1=range(0, k)):
                t[i_1] = y[i_1] + alpha * y[k - 1 - i_1]
            with map(i_2=range(0, k)):
                y[i_2] = t[i_2]
            y[k] = alpha
    return alpha
