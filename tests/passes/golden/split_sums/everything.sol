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
    s_parts: f64[parts, parts_1]
    s_sum: f64
    s_acc: f64
    s_lost: f64
    s_total: f64[()]
    s_sum_1: f64
    t_parts: f64[parts_2]
    t_sum: f64
    t_acc: f64
    t_total: f32[()]
    t_sum_1: f64
    c_parts: c128[parts_3]
    any_parts: b1[parts_3]
    c_sum: c128
    any_sum: b1
    c_acc: f64
    c_lost: f64
    c_acc_1: f64
    c_lost_1: f64
    any_acc: b1
    c_total: c128[()]
    any_total: b1[()]
    c_sum_1: c128
    any_sum_1: b1
    last_parts: f64[parts_4]
    last_sum: f64
    last_acc: f64
    last_sum_1: f64
    s = 0.0
    t = f32(1.0)
    c = complex(0.0, 0.0)
    any = False
    parts: i64 = max(1, min(1024, max(N, 0)))
    parts_1: i64 = max(1, min(1024 // parts, (max(M, 0) + 2047) // 2048))
    each: i64 = 256 * ((max(M, 0) + 256 * max(parts_1, 1) - 1) // (256 * max(parts_1, 1)))
    alloc(s_parts)
    alloc(s_total)
    with map(p_1=range(0, parts), p=range(0, parts_1)), threads(256), private(s_sum):
        s_sum = -0.0
        with map(q=range(0, 256)), schedule("block"), private(s_acc, s_lost):
            s_acc = -0.0
            s_lost = -0.0
            for i in range(p_1, N, parts):
                for j in range(q + each * p, min(M, each + each * p), 256):
                    term: f64 = a[i, j]
                    old: f64 = s_acc
                    new: f64 = old + term
                    s_lost = s_lost + (old - new + term if abs(old) >= abs(term) else term - new + old)
                    s_acc = new
            s_sum += s_acc if s_lost == 0.0 or isnan(s_lost) else s_acc + s_lost
        s_parts[p_1, p] = s_sum
    with map(one=range(0, 1)), private(s_sum_1):
        s_sum_1 = -0.0
        with map(p_1_1=range(0, parts), p_2=range(0, parts_1)), schedule("block", "block"):
            s_sum_1 += s_parts[p_1_1, p_2]
        s_total[()] = s_sum_1
    s += s_total[()]
    parts_2: i64 = max(1, min(1024, (max(N, 0) + 2047) // 2048))
    each_1: i64 = 256 * ((max(N, 0) + 256 * max(parts_2, 1) - 1) // (256 * max(parts_2, 1)))
    alloc(t_parts)
    alloc(t_total)
    with map(p_3=range(0, parts_2)), threads(256), private(t_sum):
        t_sum = -0.0
        with map(q_1=range(0, 256)), schedule("block"), private(t_acc):
            t_acc = -0.0
            for i_1 in range(q_1 + each_1 * p_3, min(N, each_1 + each_1 * p_3), 256):
                t_acc = t_acc + f64(b[i_1])
                b[i_1] = b[i_1] * f32(2.0)
            t_sum += t_acc
        t_parts[p_3] = t_sum
    with map(one_1=range(0, 1)), private(t_sum_1):
        t_sum_1 = -0.0
        with map(p_3_1=range(0, parts_2)), schedule("block"):
            t_sum_1 += t_parts[p_3_1]
        t_total[()] = f32(t_sum_1)
    t += t_total[()]
    parts_3: i64 = max(1, min(1024, (max(M, 0) + 2047) // 2048))
    each_2: i64 = 256 * ((max(M, 0) + 256 * max(parts_3, 1) - 1) // (256 * max(parts_3, 1)))
    alloc(c_parts)
    alloc(any_parts)
    alloc(c_total)
    alloc(any_total)
    with map(p_4=range(0, parts_3)), threads(256), private(c_sum, any_sum):
        c_sum = c128(-0.0, -0.0)
        any_sum = False
        with map(q_2=range(0, 256)), schedule("block"), private(c_acc, c_lost, c_acc_1, c_lost_1, any_acc):
            c_acc = -0.0
            c_lost = -0.0
            c_acc_1 = -0.0
            c_lost_1 = -0.0
            any_acc = False
            for i_2 in range(q_2 + each_2 * p_4, min(M, each_2 + each_2 * p_4), 256):
                term_1: c128 = z[i_2]
                old_1: f64 = c_acc
                new_1: f64 = old_1 + real(term_1)
                c_lost = c_lost + (old_1 - new_1 + real(term_1) if abs(old_1) >= abs(real(term_1)) else real(term_1) - new_1 + old_1)
                c_acc = new_1
                old_2: f64 = c_acc_1
                new_2: f64 = old_2 + imag(term_1)
                c_lost_1 = c_lost_1 + (old_2 - new_2 + imag(term_1) if abs(old_2) >= abs(imag(term_1)) else imag(term_1) - new_2 + old_2)
                c_acc_1 = new_2
                any_acc = any_acc or real(z[i_2]) > 0.0
            c_sum += complex(c_acc if c_lost == 0.0 or isnan(c_lost) else c_acc + c_lost, c_acc_1 if c_lost_1 == 0.0 or isnan(c_lost_1) else c_acc_1 + c_lost_1)
            any_sum = wcr.lor(any_acc)
        c_parts[p_4] = c_sum
        any_parts[p_4] = any_sum
    with map(one_2=range(0, 1)), private(c_sum_1, any_sum_1):
        c_sum_1 = c128(-0.0, -0.0)
        any_sum_1 = False
        with map(p_4_1=range(0, parts_3)), schedule("block"):
            c_sum_1 += c_parts[p_4_1]
            any_sum_1 = wcr.lor(any_parts[p_4_1])
        c_total[()] = c_sum_1
        any_total[()] = any_sum_1
    c += c_total[()]
    any = wcr.lor(any_total[()])
    parts_4: i64 = max(1, min(1024, (max(0, N - 1) + 2047) // 2048))
    each_3: i64 = 256 * ((max(0, N - 1) + 256 * max(parts_4, 1) - 1) // (256 * max(parts_4, 1)))
    alloc(last_parts)
    with map(p_5=range(0, parts_4)), threads(256), private(last_sum):
        last_sum = f64("inf")
        with map(q_3=range(0, 256)), schedule("block"), private(last_acc):
            last_acc = f64("inf")
            for i_3 in range(q_3 + each_3 * p_5 + 1, min(N, each_3 + each_3 * p_5 + 1), 256):
                last_acc = min(last_acc, a[i_3, 0] - a[i_3 - 1, 0])
            last_sum = wcr.min(last_acc)
        last_parts[p_5] = last_sum
    with map(one_3=range(0, 1)), private(last_sum_1):
        last_sum_1 = f64("inf")
        with map(p_5_1=range(0, parts_4)), schedule("block"):
            last_sum_1 = wcr.min(last_parts[p_5_1])
        last[3] = wcr.min(last_sum_1)
    return s, t, c, any
