@symbols(N=A.shape[0])
def f(A: f64[N, N]):
    with map(i=range(0, N), j=range(0, i)):
        A[i, j] = 0.0
# --- after ---
@symbols(N=A.shape[0])
def f(A: f64[N, N]):
    with map(thread=range(0, 2)), schedule("threads"), when(500000 <= N * (N // 2)), watched():
        with map(i=range(thread, N, 2), j=range(0, i)), schedule("seq", "lanes"):
            A[i, j] = 0.0
