@symbols(N=a.shape[0], M=a.shape[1])
def f(a: f64[N, M], s: f64[M], out: f64[M], other: f64[M], w: f64):
    with map(i=range(0, M)):
        s[i] = 0.0
    with map(j=range(0, M), k=range(0, N)):
        s[j] += a[k, j] * out[0]
    with map(i_1=range(0, M)):
        out[i_1] = w * s[i_1]
    with map(i_2=range(0, M)):
        other[i_2] = out[M - i_2 - 1]
    return
# --- after ---
@symbols(N=a.shape[0], M=a.shape[1])
def f(a: f64[N, M], s: f64[M], out: f64[M], other: f64[M], w: f64):
    s_acc: f64
    s_lost: f64
    s_parts: f64[parts, max(M, 0)]
    s_acc_1: f64
    s_lost_1: f64
    s_sum: f64
    parts: i64 = min(min(1024, 131072 // max(M, 1)), max(N, 0) // 16)
    each: i64 = (max(N, 0) + max(parts, 1) - 1) // max(parts, 1)
    alloc(s_parts)
    if 2 <= parts:
        with map(p=range(0, parts), j_1=range(0, M)), threads(1, 256), private(s_acc_1, s_lost_1):
            s_acc_1 = -0.0
            s_lost_1 = -0.0
            turns: i64 = max(0, min(N, each + each * p) - each * p) // 8
            for turn in range(0, turns):
                value: f64 = a[8 * turn + each * p, j_1] * out[0]
                value_1: f64 = a[8 * turn + each * p + 1, j_1] * out[0]
                value_2: f64 = a[8 * turn + each * p + 2, j_1] * out[0]
                value_3: f64 = a[8 * turn + each * p + 3, j_1] * out[0]
                value_4: f64 = a[8 * turn + each * p + 4, j_1] * out[0]
                value_5: f64 = a[8 * turn + each * p + 5, j_1] * out[0]
                value_6: f64 = a[8 * turn + each * p + 6, j_1] * out[0]
                value_7: f64 = a[8 * turn + each * p + 7, j_1] * out[0]
                term_2: f64 = value
                old_2: f64 = s_acc_1
                new_2: f64 = old_2 + term_2
                s_lost_1 = s_lost_1 + (old_2 - new_2 + term_2 if abs(old_2) >= abs(term_2) else term_2 - new_2 + old_2)
                s_acc_1 = new_2
                term_3: f64 = value_1
                old_3: f64 = s_acc_1
                new_3: f64 = old_3 + term_3
                s_lost_1 = s_lost_1 + (old_3 - new_3 + term_3 if abs(old_3) >= abs(term_3) else term_3 - new_3 + old_3)
                s_acc_1 = new_3
                term_4: f64 = value_2
                old_4: f64 = s_acc_1
                new_4: f64 = old_4 + term_4
                s_lost_1 = s_lost_1 + (old_4 - new_4 + term_4 if abs(old_4) >= abs(term_4) else term_4 - new_4 + old_4)
                s_acc_1 = new_4
                term_5: f64 = value_3
                old_5: f64 = s_acc_1
                new_5: f64 = old_5 + term_5
                s_lost_1 = s_lost_1 + (old_5 - new_5 + term_5 if abs(old_5) >= abs(term_5) else term_5 - new_5 + old_5)
                s_acc_1 = new_5
                term_6: f64 = value_4
                old_6: f64 = s_acc_1
                new_6: f64 = old_6 + term_6
                s_lost_1 = s_lost_1 + (old_6 - new_6 + term_6 if abs(old_6) >= abs(term_6) else term_6 - new_6 + old_6)
                s_acc_1 = new_6
                term_7: f64 = value_5
                old_7: f64 = s_acc_1
                new_7: f64 = old_7 + term_7
                s_lost_1 = s_lost_1 + (old_7 - new_7 + term_7 if abs(old_7) >= abs(term_7) else term_7 - new_7 + old_7)
                s_acc_1 = new_7
                term_8: f64 = value_6
                old_8: f64 = s_acc_1
                new_8: f64 = old_8 + term_8
                s_lost_1 = s_lost_1 + (old_8 - new_8 + term_8 if abs(old_8) >= abs(term_8) else term_8 - new_8 + old_8)
                s_acc_1 = new_8
                term_9: f64 = value_7
                old_9: f64 = s_acc_1
                new_9: f64 = old_9 + term_9
                s_lost_1 = s_lost_1 + (old_9 - new_9 + term_9 if abs(old_9) >= abs(term_9) else term_9 - new_9 + old_9)
                s_acc_1 = new_9
            for k_1 in range(8 * turns + each * p, min(N, each + each * p)):
                term_1: f64 = a[k_1, j_1] * out[0]
                old_1: f64 = s_acc_1
                new_1: f64 = old_1 + term_1
                s_lost_1 = s_lost_1 + (old_1 - new_1 + term_1 if abs(old_1) >= abs(term_1) else term_1 - new_1 + old_1)
                s_acc_1 = new_1
            s_parts[p, j_1] = s_acc_1 if s_lost_1 == 0.0 or isnan(s_lost_1) else s_acc_1 + s_lost_1
        with map(i=range(0, M)), threads(64), private(s_sum):
            s[i] = 0.0
            s_sum = -0.0
            with map(p_1=range(0, parts)), schedule("block"):
                s_sum += s_parts[p_1, i]
            s[i] += s_sum
            out[i] = w * s[i]
    else:
        with map(i_3=range(0, M)):
            s[i_3] = 0.0
        with map(j=range(0, M)), private(s_acc, s_lost):
            s_acc = -0.0
            s_lost = -0.0
            for k in range(0, N):
                term: f64 = a[k, j] * out[0]
                old: f64 = s_acc
                new: f64 = old + term
                s_lost = s_lost + (old - new + term if abs(old) >= abs(term) else term - new + old)
                s_acc = new
            s[j] += s_acc if s_lost == 0.0 or isnan(s_lost) else s_acc + s_lost
        with map(i_1_1=range(0, M)):
            out[i_1_1] = w * s[i_1_1]
    with map(i_2=range(0, M)):
        other[i_2] = out[M - i_2 - 1]
    return
