@symbols(N=A.shape[0], M=A.shape[1], K=B.shape[1])
def f(A: f64[N, M], B: f64[M, K], C: f64[N, K], S: f64[N, N], x: f64[M], y: f64[N], h: f16[N, M], g: f16[M, N], o: f16[N, N], t: b1[N, M], u: b1[M, N], v: b1[N, N], alpha: f64, beta: f64) -> scalar(f64):
    d: f64
    lib.matmul(outs=[C[0:N, 0:K]], ins=[A[0:N, 0:M], B[0:M, 0:K], alpha, beta])
    lib.matmul(outs=[S[0:N, 0:N]], ins=[A[0:N, 0:M], A[0:N, 0:M].axes(1, 0), 1.0, 1.0], attrs={"triangle": "lower"})
    lib.matmul(outs=[y[0:N]], ins=[A[0:N, 0:M], x[0:M]])
    lib.matmul(outs=[C[0, 0:K]], ins=[x[M - 1:-1:-1], B[0:M, 0:K]])
    lib.matmul(outs=[d], ins=[x[0:M], A[1, 0:M]])
    lib.matmul(outs=[o[0:N, 0:N]], ins=[h[0:N, 0:M], g[0:M, 0:N]])
    lib.matmul(outs=[v[0:N, 0:N]], ins=[t[0:N, 0:M], u[0:M, 0:N]])
    lib.ger(outs=[A[0:N, 0:M]], ins=[alpha, y[0:N], x[0:M]])
    return d
# --- after ---
@symbols(N=A.shape[0], M=A.shape[1], K=B.shape[1])
def f(A: f64[N, M], B: f64[M, K], C: f64[N, K], S: f64[N, N], x: f64[M], y: f64[N], h: f16[N, M], g: f16[M, N], o: f16[N, N], t: b1[N, M], u: b1[M, N], v: b1[N, N], alpha: f64, beta: f64) -> scalar(f64):
    d: f64
    product: f64
    product_1: f64
    product_2: f64
    product_3: f64
    product_4: f64
    product_5: f32
    product_6: b1
    with map(i=range(0, N), j=range(0, K)), private(product):
        product = 0.0
        for k in range(0, M):
            product = product + A[i, k] * B[k, j]
        C[i, j] = alpha * product + beta * C[i, j]
    with map(i_1=range(0, N), j_1=range(0, N)), private(product_1):
        if j_1 <= i_1:
            product_1 = 0.0
            for k_1 in range(0, M):
                product_1 = product_1 + A[i_1, k_1] * A[j_1, k_1]
            S[i_1, j_1] = 1.0 * product_1 + 1.0 * S[i_1, j_1]
    with map(i_2=range(0, N)), private(product_2):
        product_2 = 0.0
        for k_2 in range(0, M):
            product_2 = product_2 + A[i_2, k_2] * x[k_2]
        y[i_2] = product_2
    with map(j_2=range(0, K)), private(product_3):
        product_3 = 0.0
        for k_3 in range(0, M):
            product_3 = product_3 + x[M - k_3 - 1] * B[k_3, j_2]
        C[0, j_2] = product_3
    product_4 = 0.0
    with map(k_4=range(0, M)):
        product_4 += x[k_4] * A[1, k_4]
    d = product_4
    with map(i_3=range(0, N), j_3=range(0, N)), private(product_5):
        product_5 = f32(0.0)
        for k_5 in range(0, M):
            product_5 = product_5 + f32(h[i_3, k_5]) * f32(g[k_5, j_3])
        o[i_3, j_3] = f16(product_5)
    with map(i_4=range(0, N), j_4=range(0, N)), private(product_6):
        product_6 = False
        for k_6 in range(0, M):
            product_6 = product_6 or t[i_4, k_6] and u[k_6, j_4]
        v[i_4, j_4] = product_6
    with map(i_5=range(0, N), j_5=range(0, M)):
        A[i_5, j_5] = A[i_5, j_5] + alpha * y[i_5] * x[j_5]
    return d
