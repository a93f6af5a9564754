@symbols(N=a.shape[0], M=a.shape[1])
def f(a: f64[N, M], b: f32[N], z: c128[M], last: f64[4], k: i64) -> (scalar(f64), scalar(f32), scalar(c128), python(b1)):
    s: f64
    t: f32
    c: c128
    any: b1
    s = 0.0
    t = f32(1.0)
    c = complex(0.0, 0.0)
    any = False
    with map(i=range(0, N), j=range(0, M)):
        s += a[i, j]
    with map(i_1=range(0, N)):
        t += b[i_1]
        b[i_1] = b[i_1] * f32(2.0)
    with map(i_2=range(0, M)):
        c += z[i_2]
        any = wcr.lor(real(z[i_2]) > 0.0)
    with map(i_3=range(1, N)):
        last[3] = wcr.min(a[i_3, 0] - a[i_3 - 1, 0])
    return s, t, c, any
# --- after ---
@symbols(N=a.shape[0], M=a.shape[1])
def f(a: f64[N, M], b: f32[N], z: c128[M], last: f64[4], k: i64) -> (scalar(f64), scalar(f32), scalar(c128), python(b1)):
    s: f64
    t: f32
    c: c128
    any: b1
    s_parts: f64[threads, threads_1]
    s_rows: f64[threads]
    s_acc: f64
    s_lost: f64
    s_rows_acc: f64
    s_rows_lost: f64
    s_total: f64[()]
    s_acc_1: f64
    s_lost_1: f64
    t_parts: f64[threads_2, 256]
    t_rows: f64[threads_2]
    t_acc: f64
    t_rows_acc: f64
    t_rows_lost: f64
    t_total: f32[()]
    t_acc_1: f64
    c_parts: c128[threads_3, 256]
    any_parts: b1[threads_3, 256]
    c_rows: c128[threads_3]
    any_rows: b1[threads_3]
    c_acc: f64
    c_lost: f64
    c_acc_1: f64
    c_lost_1: f64
    any_acc: b1
    c_rows_acc: f64
    c_rows_lost: f64
    c_rows_acc_1: f64
    c_rows_lost_1: f64
    any_rows_acc: b1
    c_total: c128[()]
    any_total: b1[()]
    c_acc_2: f64
    c_lost_2: f64
    c_acc_3: f64
    c_lost_3: f64
    any_acc_1: b1
    last_parts: f64[threads_4, 256]
    last_rows: f64[threads_4]
    last_acc: f64
    last_rows_acc: f64
    last_acc_1: f64
    s = 0.0
    t = f32(1.0)
    c = complex(0.0, 0.0)
    any = False
    threads: i64 = min(256, max(N, 0))
    threads_1: i64 = min(256, max(M, 0))
    alloc(s_parts)
    alloc(s_rows)
    alloc(s_total)
    with map(p=range(0, threads), q=range(0, threads_1)), private(s_acc, s_lost):
        s_acc = -0.0
        s_lost = -0.0
        for i in range(p, N, threads):
            for j in range(q, M, threads_1):
                term: f64 = a[i, j]
                old: f64 = s_acc
                new: f64 = old + term
                s_lost = s_lost + (old - new + term if abs(old) >= abs(term) else term - new + old)
                s_acc = new
        s_parts[p, q] = s_acc if s_lost == 0.0 or isnan(s_lost) else s_acc + s_lost
    with map(p=range(0, threads)), private(s_rows_acc, s_rows_lost):
        s_rows_acc = -0.0
        s_rows_lost = -0.0
        for q in range(0, threads_1):
            term_1: f64 = s_parts[p, q]
            old_1: f64 = s_rows_acc
            new_1: f64 = old_1 + term_1
            s_rows_lost = s_rows_lost + (old_1 - new_1 + term_1 if abs(old_1) >= abs(term_1) else term_1 - new_1 + old_1)
            s_rows_acc = new_1
        s_rows[p] = s_rows_acc if s_rows_lost == 0.0 or isnan(s_rows_lost) else s_rows_acc + s_rows_lost
    with map(one=range(0, 1)), private(s_acc_1, s_lost_1):
        s_acc_1 = -0.0
        s_lost_1 = -0.0
        for p in range(0, threads):
            term_2: f64 = s_rows[p]
            old_2: f64 = s_acc_1
            new_2: f64 = old_2 + term_2
            s_lost_1 = s_lost_1 + (old_2 - new_2 + term_2 if abs(old_2) >= abs(term_2) else term_2 - new_2 + old_2)
            s_acc_1 = new_2
        s_total[()] = s_acc_1 if s_lost_1 == 0.0 or isnan(s_lost_1) else s_acc_1 + s_lost_1
    s += s_total[()]
    threads_2: i64 = min(256, (max(N, 0) + 255) // 256)
    alloc(t_parts)
    alloc(t_rows)
    alloc(t_total)
    with map(p_1=range(0, threads_2), q_1=range(0, 256)), private(t_acc):
        t_acc = -0.0
        for i_1 in range(256 * p_1 + q_1, N, 256 * threads_2):
            t_acc = t_acc + f64(b[i_1])
            b[i_1] = b[i_1] * f32(2.0)
        t_parts[p_1, q_1] = t_acc
    with map(p_1=range(0, threads_2)), private(t_rows_acc, t_rows_lost):
        t_rows_acc = -0.0
        t_rows_lost = -0.0
        for q_1 in range(0, 256):
            term_3: f64 = t_parts[p_1, q_1]
            old_3: f64 = t_rows_acc
            new_3: f64 = old_3 + term_3
            t_rows_lost = t_rows_lost + (old_3 - new_3 + term_3 if abs(old_3) >= abs(term_3) else term_3 - new_3 + old_3)
            t_rows_acc = new_3
        t_rows[p_1] = t_rows_acc if t_rows_lost == 0.0 or isnan(t_rows_lost) else t_rows_acc + t_rows_lost
    with map(one_1=range(0, 1)), private(t_acc_1):
        t_acc_1 = -0.0
        for p_1 in range(0, threads_2):
            t_acc_1 = t_acc_1 + t_rows[p_1]
        t_total[()] = f32(t_acc_1)
    t += t_total[()]
    threads_3: i64 = min(256, (max(M, 0) + 255) // 256)
    alloc(c_parts)
    alloc(any_parts)
    alloc(c_rows)
    alloc(any_rows)
    alloc(c_total)
    alloc(any_total)
    with map(p_2=range(0, threads_3), q_2=range(0, 256)), private(c_acc, c_lost, c_acc_1, c_lost_1, any_acc):
        c_acc = -0.0
        c_lost = -0.0
        c_acc_1 = -0.0
        c_lost_1 = -0.0
        any_acc = False
        for i_2 in range(256 * p_2 + q_2, M, 256 * threads_3):
            term_4: c128 = z[i_2]
            old_4: f64 = c_acc
            new_4: f64 = old_4 + real(term_4)
            c_lost = c_lost + (old_4 - new_4 + real(term_4) if abs(old_4) >= abs(real(term_4)) else real(term_4) - new_4 + old_4)
            c_acc = new_4
            old_5: f64 = c_acc_1
            new_5: f64 = old_5 + imag(term_4)
            c_lost_1 = c_lost_1 + (old_5 - new_5 + imag(term_4) if abs(old_5) >= abs(imag(term_4)) else imag(term_4) - new_5 + old_5)
            c_acc_1 = new_5
            any_acc = any_acc or real(z[i_2]) > 0.0
        c_parts[p_2, q_2] = complex(c_acc if c_lost == 0.0 or isnan(c_lost) else c_acc + c_lost, c_acc_1 if c_lost_1 == 0.0 or isnan(c_lost_1) else c_acc_1 + c_lost_1)
        any_parts[p_2, q_2] = any_acc
    with map(p_2=range(0, threads_3)), private(c_rows_acc, c_rows_lost, c_rows_acc_1, c_rows_lost_1, any_rows_acc):
        c_rows_acc = -0.0
        c_rows_lost = -0.0
        c_rows_acc_1 = -0.0
        c_rows_lost_1 = -0.0
        any_rows_acc = False
        for q_2 in range(0, 256):
            term_5: c128 = c_parts[p_2, q_2]
            old_6: f64 = c_rows_acc
            new_6: f64 = old_6 + real(term_5)
            c_rows_lost = c_rows_lost + (old_6 - new_6 + real(term_5) if abs(old_6) >= abs(real(term_5)) else real(term_5) - new_6 + old_6)
            c_rows_acc = new_6
            old_7: f64 = c_rows_acc_1
            new_7: f64 = old_7 + imag(term_5)
            c_rows_lost_1 = c_rows_lost_1 + (old_7 - new_7 + imag(term_5) if abs(old_7) >= abs(imag(term_5)) else imag(term_5) - new_7 + old_7)
            c_rows_acc_1 = new_7
            any_rows_acc = any_rows_acc or any_parts[p_2, q_2]
        c_rows[p_2] = complex(c_rows_acc if c_rows_lost == 0.0 or isnan(c_rows_lost) else c_rows_acc + c_rows_lost, c_rows_acc_1 if c_rows_lost_1 == 0.0 or isnan(c_rows_lost_1) else c_rows_acc_1 + c_rows_lost_1)
        any_rows[p_2] = any_rows_acc
    with map(one_2=range(0, 1)), private(c_acc_2, c_lost_2, c_acc_3, c_lost_3, any_acc_1):
        c_acc_2 = -0.0
        c_lost_2 = -0.0
        c_acc_3 = -0.0
        c_lost_3 = -0.0
        any_acc_1 = False
        for p_2 in range(0, threads_3):
            term_6: c128 = c_rows[p_2]
            old_8: f64 = c_acc_2
            new_8: f64 = old_8 + real(term_6)
            c_lost_2 = c_lost_2 + (old_8 - new_8 + real(term_6) if abs(old_8) >= abs(real(term_6)) else real(term_6) - new_8 + old_8)
            c_acc_2 = new_8
            old_9: f64 = c_acc_3
            new_9: f64 = old_9 + imag(term_6)
            c_lost_3 = c_lost_3 + (old_9 - new_9 + imag(term_6) if abs(old_9) >= abs(imag(term_6)) else imag(term_6) - new_9 + old_9)
            c_acc_3 = new_9
            any_acc_1 = any_acc_1 or any_rows[p_2]
        c_total[()] = complex(c_acc_2 if c_lost_2 == 0.0 or isnan(c_lost_2) else c_acc_2 + c_lost_2, c_acc_3 if c_lost_3 == 0.0 or isnan(c_lost_3) else c_acc_3 + c_lost_3)
        any_total[()] = any_acc_1
    c += c_total[()]
    any = wcr.lor(any_total[()])
    threads_4: i64 = min(256, (max(0, N - 1) + 255) // 256)
    alloc(last_parts)
    alloc(last_rows)
    with map(p_3=range(0, threads_4), q_3=range(0, 256)), private(last_acc):
        last_acc = f64("inf")
        for i_3 in range(256 * p_3 + q_3 + 1, N, 256 * threads_4):
            last_acc = min(last_acc, a[i_3, 0] - a[i_3 - 1, 0])
        last_parts[p_3, q_3] = last_acc
    with map(p_3=range(0, threads_4)), private(last_rows_acc):
        last_rows_acc = f64("inf")
        for q_3 in range(0, 256):
            last_rows_acc = min(last_rows_acc, last_parts[p_3, q_3])
        last_rows[p_3] = last_rows_acc
    with map(one_3=range(0, 1)), private(last_acc_1):
        last_acc_1 = f64("inf")
        for p_3 in range(0, threads_4):
            last_acc_1 = min(last_acc_1, last_rows[p_3])
        last[3] = wcr.min(last_acc_1)
    return s, t, c, any
