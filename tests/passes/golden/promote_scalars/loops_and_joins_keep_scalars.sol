def f(n: i64) -> python(i64):
    s: i64
    t: i64
    s = 0
    t = 1
    for k in range(0, n):
        s = s + t
    if n > 2:
        t = 5
    return s + t
# --- after ---
(unchanged)
