@symbols(N=A.shape[0], M=A.shape[1])
def f(A: f64[N, M], R: f64[M, M], n: f32[N], counts: i64[N]):
    for k in range(0, M):
        R[k, k] = 0.0
        with map(i=range(0, N)):
            R[k, k] += A[i, k] * A[i, k]
        with map(j=range(k + 1, M)):
            R[k, j] = 0.0
        with map(i_1=range(0, N), j_1=range(k + 1, M)):
            R[k, j_1] += A[i_1, k] * A[i_1, j_1]
        with map(i_2=range(0, N), j_2=range(0, M)):
            n[i_2] += f32(A[i_2, j_2])
            counts[i_2] += 1
        A[0, 0] = A[0, 0] + R[k, k]
    return
# --- after ---
@symbols(N=A.shape[0], M=A.shape[1])
def f(A: f64[N, M], R: f64[M, M], n: f32[N], counts: i64[N]):
    R_acc: f64
    R_lost: f64
    n_acc: f64
    counts_acc: i64
    if 0.0 < f64(M) * (2.0 + (f64(N) * 4.0 * -6.606060606060607e-05 + 2.0) + ((f64(M) - f64(M) / 2.0 - 1.0) * -3.5606060606060608e-06 + 2.0) + ((f64(M) - f64(M) / 2.0 - 1.0) * (f64(N) * 18.0 + 13.0) * -3.5606060606060608e-06 + 2.0) + (f64(N) * (f64(M) * 10.0 + 7.0) * -3.5606060606060608e-06 + 2.0) + 2.0):
        with map(one=range(0, 1)), cluster((max(max(N, 0), M - M // 2 - 1) + 511) // 512 if 4096 <= max(max(N, 0), M - M // 2 - 1) else 1):
            for k_1 in range(0, M):
                R[k_1, k_1] = 0.0
                with map(i_3=range(0, N)), schedule("block"):
                    R[k_1, k_1] += A[i_3, k_1] * A[i_3, k_1]
                with map(j_3=range(k_1 + 1, M)), schedule("cluster"):
                    R[k_1, j_3] = 0.0
                with map(j_1_1=range(k_1 + 1, M)), schedule("cluster"), private(R_acc, R_lost):
                    R_acc = -0.0
                    R_lost = -0.0
                    for i_1_1 in range(0, N):
                        term: f64 = A[i_1_1, k_1] * A[i_1_1, j_1_1]
                        old: f64 = R_acc
                        new: f64 = old + term
                        R_lost = R_lost + (old - new + term if abs(old) >= abs(term) else term - new + old)
                        R_acc = new
                    R[k_1, j_1_1] += R_acc if R_lost == 0.0 or isnan(R_lost) else R_acc + R_lost
                with map(i_2_1=range(0, N)), schedule("cluster"), private(n_acc, counts_acc):
                    n_acc = -0.0
                    counts_acc = 0
                    for j_2_1 in range(0, M):
                        n_acc = n_acc + f64(f32(A[i_2_1, j_2_1]))
                        counts_acc = counts_acc + 1
                    n[i_2_1] += f32(n_acc)
                    counts[i_2_1] += counts_acc
                A[0, 0] = A[0, 0] + R[k_1, k_1]
    else:
        for k in range(0, M):
            R[k, k] = 0.0
            with map(i=range(0, N)):
                R[k, k] += A[i, k] * A[i, k]
            with map(j=range(k + 1, M)):
                R[k, j] = 0.0
            with map(i_1=range(0, N), j_1=range(k + 1, M)):
                R[k, j_1] += A[i_1, k] * A[i_1, j_1]
            with map(i_2=range(0, N), j_2=range(0, M)):
                n[i_2] += f32(A[i_2, j_2])
                counts[i_2] += 1
            A[0, 0] = A[0, 0] + R[k, k]
    return
