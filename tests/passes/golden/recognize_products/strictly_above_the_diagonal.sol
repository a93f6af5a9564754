@symbols(N=A.shape[0], M=A.shape[1])
def f(A: f64[N, M], B: f64[M, N], C: f64[N, N]):
    with map(i=range(0, N), k=range(0, M), j=range(i + 1, N)):
        C[i, j] += A[i, k] * B[k, j] - B[k, j] * A[i, k]
# --- after ---
@symbols(N=A.shape[0], M=A.shape[1])
def f(A: f64[N, M], B: f64[M, N], C: f64[N, N]):
    lib.matmul(outs=[C[0:max(0, N - 1), 1:max(N, 1)].axes(0, 1)], ins=[A[0:max(0, N - 1), 0:M].axes(0, 1), B[0:M, 1:max(N, 1)].axes(0, 1), 1.0, 1.0], attrs={"triangle": "upper"})
    lib.matmul(outs=[C[0:max(0, N - 1), 1:max(N, 1)].axes(0, 1)], ins=[A[0:max(0, N - 1), 0:M].axes(0, 1), B[0:M, 1:max(N, 1)].axes(0, 1), -1.0, 1.0], attrs={"triangle": "upper"})
