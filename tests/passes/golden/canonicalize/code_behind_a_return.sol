def f(n: i64) -> python(i64):
    s: i64
    s = n
    if n > 3:
        return s
        s = 4
    return s
    s = 5
# --- after ---
def f(n: i64) -> python(i64):
    s: i64
    s = n
    if n > 3:
        return s
    return s
