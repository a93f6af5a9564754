@symbols(N=a.shape[0])
def f(a: i64[N, N], b: i64[N, N], c: i64[N, N]):
    for i in range(N - 2, -1, -1):
        for j in range(i + 1, N):
            a[i, j] = max(a[i, j], a[i, j - 1])
            if i < j - 1:
                a[i, j] = max(a[i, j], a[i + 1, j - 1] + 1)
            with map(k=range(i + 1, j)):
                a[i, j] = wcr.max(a[i, k] + a[k + 1, j])
    for p in range(N - 2, -1, -1):
        for q in range(p + 1, N):
            with map(r=range(p + 1, q)):
                b[p, q] = wcr.max(b[p, r] + b[r + 1, q])
    for u in range(N - 2, -1, -1):
        for v in range(u + 1, N):
            c[u, v] = max(c[u, v], c[c[u, v - 1] % N, v])
            with map(w=range(u + 1, v)):
                c[u, v] = wcr.max(c[u, w] + c[w + 1, v])
# --- after ---
@symbols(N=a.shape[0])
def f(a: i64[N, N], b: i64[N, N], c: i64[N, N]):
    a_element: i64
    sums: i64[N]
    for i in range(N - 2, -1, -1):
        alloc(sums)
        with map(j_1=range(i + 1, N)):
            sums[j_1] = -9223372036854775808
        for j in range(i + 1, N):
            a_element = a[i, j]
            a_element = max(a_element, a[i, j - 1])
            if i < j - 1:
                a_element = max(a_element, a[i + 1, j - 1] + 1)
            a_element = wcr.max(sums[j])
            a[i, j] = a_element
            found: i64 = a[i, j]
            with map(j_2=range(j + 1, N)):
                sums[j_2] = max(sums[j_2], found + a[j + 1, j_2])
    for p in range(N - 2, -1, -1):
        for q in range(p + 1, N):
            with map(r=range(p + 1, q)):
                b[p, q] = wcr.max(b[p, r] + b[r + 1, q])
    for u in range(N - 2, -1, -1):
        for v in range(u + 1, N):
            c[u, v] = max(c[u, v], c[c[u, v - 1] % N, v])
            with map(w=range(u + 1, v)):
                c[u, v] = wcr.max(c[u, w] + c[w + 1, v])
