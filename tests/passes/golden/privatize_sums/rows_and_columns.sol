@symbols(N=A.shape[0], M=A.shape[1])
def f(A: f64[N, M], x: f64[M], y: f64[M]):
    s: f64
    with map(i=range(0, N)), private(s):
        s = 0.0
        with map(k=range(0, M)):
            s += A[i, k] * x[k]
        with map(k=range(0, M)):
            y[k] += A[i, k] * s
# --- after ---
@symbols(N=A.shape[0], M=A.shape[1])
def f(A: f64[N, M], x: f64[M], y: f64[M]):
    s: f64
    y_parts: f64[threads, M]
    s_1: f64
    threads: i64 = threads(2)
    if 1 < threads and 500000 <= N * (M * 4 + M * 4 + 1) and M * threads * 16 <= N * (M * 4 + M * 4 + 1):
        alloc(y_parts)
        with map(thread=range(0, threads)), schedule("threads"), when(500000 <= N * (M * 4 + M * 4 + 1)):
            with map(p=range(0, M)):
                y_parts[thread, p] = -0.0
            with map(i=range(N * thread // threads, (N + N * thread) // threads)), private(s_1):
                s_1 = 0.0
                with map(k=range(0, M)):
                    s_1 += A[i, k] * x[k]
                with map(k=range(0, M)):
                    y_parts[thread, k] += A[i, k] * s_1
        with map(thread=range(0, threads), p=range(0, M)):
            y[p] += y_parts[thread, p]
    else:
        with map(i=range(0, N)), private(s):
            s = 0.0
            with map(k=range(0, M)):
                s += A[i, k] * x[k]
            with map(k=range(0, M)):
                y[k] += A[i, k] * s
