@symbols(N=x.shape[0])
def p(x: i64[N], y: i64[N], k: i64, q: i64):
    r: i64
    r = k + 1
    with map(i=range(0, N)), schedule("seq"):
        y[i] = x[i] % k + x[i] // r + i % 7
        with map(j=range(0, N)), schedule("seq"):
            y[i] += x[j] % k % i
    for i in range(0, N):
        y[i] = x[i] % k
        for j in range(0, N):
            y[i] = y[i] // q % r % (i + 1)
        r = r + 1
# --- after ---
@symbols(N=x.shape[0])
def p(x: i64[N], y: i64[N], k: i64, q: i64):
    r: i64
    r = k + 1
    with map(i=range(0, N)), schedule("seq"), divisors(r, k):
        y[i] = x[i] % k + x[i] // r + i % 7
        with map(j=range(0, N)), schedule("seq"), divisors(i):
            y[i] += x[j] % k % i
    with loop(i=range(0, N)), divisors(k, q):
        y[i] = x[i] % k
        with loop(j=range(0, N)), divisors(i + 1, r):
            y[i] = y[i] // q % r % (i + 1)
        r = r + 1
