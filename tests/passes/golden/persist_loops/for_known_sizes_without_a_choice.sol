def f(a: f64[100]):
    for k in range(0, 50):
        with map(i=range(0, 100)):
            a[i] = a[i] * 0.5
        a[k] = a[0]
    return
# --- after ---
def f(a: f64[100]):
    with map(one=range(0, 1)):
        for k_1 in range(0, 50):
            with map(i_1=range(0, 100)), schedule("block"):
                a[i_1] = a[i_1] * 0.5
            a[k_1] = a[0]
    return
