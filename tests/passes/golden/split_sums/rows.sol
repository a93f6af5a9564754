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
    most_parts: i64[parts, max(M, 0)]
    most_acc_1: i64
    most_sum: i64
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
    parts: i64 = min(min(1024, 131072 // max(M, 1)), max(N, 0) // 16)
    each: i64 = (max(N, 0) + max(parts, 1) - 1) // max(parts, 1)
    alloc(most_parts)
    if 2 <= parts:
        with map(p=range(0, parts), j_1_1=range(0, M)), threads(1, 256), private(most_acc_1):
            most_acc_1 = -9223372036854775808
            turns: i64 = max(0, min(N, each + each * p) - each * p) // 8
            for turn in range(0, turns):
                value: i64 = i64(a[8 * turn + each * p, j_1_1])
                value_1: i64 = i64(a[8 * turn + each * p + 1, j_1_1])
                value_2: i64 = i64(a[8 * turn + each * p + 2, j_1_1])
                value_3: i64 = i64(a[8 * turn + each * p + 3, j_1_1])
                value_4: i64 = i64(a[8 * turn + each * p + 4, j_1_1])
                value_5: i64 = i64(a[8 * turn + each * p + 5, j_1_1])
                value_6: i64 = i64(a[8 * turn + each * p + 6, j_1_1])
                value_7: i64 = i64(a[8 * turn + each * p + 7, j_1_1])
                most_acc_1 = max(most_acc_1, value)
                most_acc_1 = max(most_acc_1, value_1)
                most_acc_1 = max(most_acc_1, value_2)
                most_acc_1 = max(most_acc_1, value_3)
                most_acc_1 = max(most_acc_1, value_4)
                most_acc_1 = max(most_acc_1, value_5)
                most_acc_1 = max(most_acc_1, value_6)
                most_acc_1 = max(most_acc_1, value_7)
            for i_1_1 in range(8 * turns + each * p, min(N, each + each * p)):
                most_acc_1 = max(most_acc_1, i64(a[i_1_1, j_1_1]))
            most_parts[p, j_1_1] = most_acc_1
        with map(j_1_1_1=range(0, M)), threads(64), private(most_sum):
            most_sum = -9223372036854775808
            with map(p_1=range(0, parts)), schedule("block"):
                most_sum = wcr.max(most_parts[p_1, j_1_1_1])
            most[j_1_1_1] = wcr.max(most_sum)
    else:
        with map(j_1=range(0, M)), private(most_acc):
            most_acc = -9223372036854775808
            for i_1 in range(0, N):
                most_acc = max(most_acc, i64(a[i_1, j_1]))
            most[j_1] = wcr.max(most_acc)
    return
