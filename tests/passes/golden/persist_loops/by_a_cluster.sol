def f(a: f64[16000]):
    for k in range(0, 2):
        with map(i=range(0, 16000)):
            a[i] = a[i] * 0.5
    return
# --- after ---
def f(a: f64[16000]):
    with map(one=range(0, 1)), cluster(32):
        for k_1 in range(0, 2):
            with map(i_1=range(0, 16000)), schedule("cluster"):
                a[i_1] = a[i_1] * 0.5
    return
