@symbols(N=a.shape[0], M=a.shape[1])
def f(a: f64[N, M], s: f64[N], most: i64[M]):
    with map(i=range(0, N), j=range(0, M)):
        s[i] += a[i, j] * a[i, j]
    with map(j_1=range(0, M), i_1=range(0, N)):
        most[j_1] = wcr.max(i64(a[i_1, j_1]))
    return
# --- after ---
@symbols(N=a.shape[0], M=a.shape[1])
def f(a: f64[N, M], s: f64[N], most: i64[M]):
    s_acc: f64
    s_lost: f64
    most_acc: i64
    with map(i=range(0, N)), private(s_acc, s_lost):
        s_acc = -0.0
        s_lost = -0.0
        for j in range(0, M):
            term: f64 = a[i, j] * a[i, j]
            old: f64 = s_acc
            new: f64 = old + term
            s_lost = s_lost + (old - new + term if abs(old) >= abs(term) else term - new + old)
            s_acc = new
        s[i] += s_acc if s_lost == 0.0 or isnan(s_lost) else s_acc + s_lost
    with map(j_1=range(0, M)), private(most_acc):
        most_acc = -9223372036854775808
        for i_1 in range(0, N):
            most_acc = max(most_acc, i64(a[i_1, j_1]))
        most[j_1] = wcr.max(most_acc)
    return
