@symbols(N=A.shape[0], M=A.shape[1])
def f(A: f64[N, M], b: f64[M], s: f64):
    t: f64
    t = 0.0
    with map(i=range(0, N), j=range(0, M)):
        A[i, j] = A[i, j] * s
    with map(i=range(0, N), j=range(0, M)):
        b[j] += A[i, j]
    with map(i=range(0, N)):
        t += A[i, 0]
    b[0] = t
# --- after ---
@symbols(N=A.shape[0], M=A.shape[1])
def f(A: f64[N, M], b: f64[M], s: f64):
    t: f64
    t = 0.0
    with map(i=range(0, N), j=range(0, M)), schedule("threads", "lanes"), when(500000 <= N * M * 3), watched():
        A[i, j] = A[i, j] * s
    strips: i64 = threads(2) if 500000 <= N * M * 2 else 1
    with map(thread=range(0, strips)), schedule("threads"), when(500000 <= N * M * 2), watched():
        with map(i=range(0, N), j=range(M * thread // strips, (M + M * thread) // strips)), schedule("seq", "lanes"):
            b[j] += A[i, j]
    strips_1: i64 = threads(2) if 500000 <= N * 2 else 1
    with map(thread_1=range(0, strips_1)), schedule("threads"), when(500000 <= N * 2), parts(t.wcr("add")):
        with map(i=range(N * thread_1 // strips_1, (N + N * thread_1) // strips_1)), schedule("seq"):
            t += A[i, 0]
    b[0] = t
