@symbols(N=A.shape[0], M=A.shape[1])
def f(A: f64[N, M], b: f64[N]):
    s: f64
    for i in range(0, N):
        s = 0.0
        for k in range(0, M):
            s = s + A[i, k]
        b[i] = s
# --- after ---
@symbols(N=A.shape[0], M=A.shape[1])
def f(A: f64[N, M], b: f64[N]):
    s: f64
    with map(i=range(0, N)), private(s):
        s = 0.0
        with map(k=range(0, M)):
            s += A[i, k]
        b[i] = s
