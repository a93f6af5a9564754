def f(a: f64[10000]):
    for k in range(0, 2):
        with map(i=range(0, 10000)):
            a[i] = sin(sin(sin(sin(a[i]))))
    return
# --- after ---
(unchanged)
