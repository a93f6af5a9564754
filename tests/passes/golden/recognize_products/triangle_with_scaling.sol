@symbols(N=A.shape[0], M=A.shape[1])
def f(alpha: f64, beta: f64, A: f64[N, M], C: f64[N, N]):
    with map(i=range(0, N)):
        with map(j=range(0, i + 1)):
            C[i, j] = C[i, j] * beta
        with map(j=range(0, i + 1), k=range(0, M)):
            C[i, j] += alpha * A[i, k] * A[j, k]
# --- after ---
@symbols(N=A.shape[0], M=A.shape[1])
def f(alpha: f64, beta: f64, A: f64[N, M], C: f64[N, N]):
    factor: f64[max(N, 0), max(M, 0)]
    with map(i=range(0, N), j=range(0, i + 1)):
        C[i, j] = C[i, j] * beta
    alloc(factor)
    with map(i=range(0, N), k=range(0, M)):
        factor[i, k] = alpha * A[i, k]
    lib.matmul(outs=[C[0:N, 0:N].axes(0, 1)], ins=[factor[0:N, 0:M], A[0:N, 0:M].axes(1, 0), 1.0, 1.0], attrs={"triangle": "lower"})
