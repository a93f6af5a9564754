@symbols(N=A.shape[0])
@guards(2 <= N)
def f(A: f64[N], n: i64):
    A_dev: f64[N].storage("cuda").mirror(A)
    t: f64[N - k].storage("cuda")
    parts: f64[threads, 8].storage("cuda")
    same: f64[N].storage("cuda")
    zeros: f64[k].storage("cuda")
    alloc(A_dev)
    copy(A_dev[0:N], A[0:N])
    for j in range(0, n):
        for k in range(0, N):
            alloc(t)
            alloc(same)
            alloc(zeros, zero=True)
            threads: i64 = min(16, max(1, N - k))
            alloc(parts)
            with map(i=range(0, N - k)), schedule("grid"), threads(256):
                t[i] = A_dev[i + k] * 0.5
            with map(p=range(0, threads), q=range(0, 8)), schedule("grid", "grid"), threads(8, 32):
                parts[p, q] = t[0] + f64(q)
            with map(i_2=range(0, N - k)), schedule("grid"), threads(256):
                same[i_2] = t[N - k - 1 - i_2]
            with map(i_3=range(0, N - k)), schedule("grid"), threads(256):
                A_dev[i_3] = same[i_3] + parts[0, 1]
            with map(i_4=range(0, k)), schedule("grid"), threads(256):
                A_dev[i_4] = A_dev[i_4] + zeros[i_4]
    copy(A[0:N], A_dev[0:N])
    return
# --- after ---
@symbols(N=A.shape[0])
@guards(2 <= N)
def f(A: f64[N], n: i64):
    A_dev: f64[N].storage("cuda").mirror(A)
    t: f64[max(N, 0)].storage("cuda")
    parts: f64[max(0, min(16, max(N, 1))), 8].storage("cuda")
    same: f64[N].storage("cuda")
    zeros: f64[k].storage("cuda")
    alloc(A_dev)
    copy(A_dev[0:N], A[0:N])
    alloc(t)
    alloc(same)
    alloc(parts)
    for j in range(0, n):
        for k in range(0, N):
            alloc(zeros, zero=True)
            threads: i64 = min(16, max(1, N - k))
            with map(i=range(0, N - k)), schedule("grid"), threads(256):
                t[i] = A_dev[i + k] * 0.5
            with map(p=range(0, threads), q=range(0, 8)), schedule("grid", "grid"), threads(8, 32):
                parts[p, q] = t[0] + f64(q)
            with map(i_2=range(0, N - k)), schedule("grid"), threads(256):
                same[i_2] = t[N - k - 1 - i_2]
            with map(i_3=range(0, N - k)), schedule("grid"), threads(256):
                A_dev[i_3] = same[i_3] + parts[0, 1]
            with map(i_4=range(0, k)), schedule("grid"), threads(256):
                A_dev[i_4] = A_dev[i_4] + zeros[i_4]
    copy(A[0:N], A_dev[0:N])
    return
