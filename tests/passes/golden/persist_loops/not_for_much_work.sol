def f(a: f64[4000000]):
    for k in range(0, 2):
        with map(i=range(0, 4000000)):
            a[i] = a[i] * 0.5
    return
# --- after ---
(unchanged)
