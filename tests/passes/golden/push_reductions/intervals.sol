@symbols(N=a.shape[0])
def f(a: i64[N, N]):
    s: i64
    for i in range(N - 2, -1, -1):
        for j in range(i + 1, N):
            s = a[i, j - 1]
            with map(k=range(i + 1, j)):
                s = wcr.max(a[i, k] + a[k + 1 - 1, j])
            a[i, j] = s
# --- after ---
@symbols(N=a.shape[0])
def f(a: i64[N, N]):
    s: i64
    sums: i64[N]
    for i in range(N - 2, -1, -1):
        alloc(sums)
        with map(j_1=range(i + 1, N)):
            sums[j_1] = -9223372036854775808
        for j in range(i + 1, N):
            s = a[i, j - 1]
            s = wcr.max(sums[j])
            a[i, j] = s
            found: i64 = a[i, j]
            with map(j_2=range(j + 1, N)):
                sums[j_2] = max(sums[j_2], found + a[j + 1 - 1, j_2])
