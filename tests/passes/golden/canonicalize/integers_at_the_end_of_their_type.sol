def f(a: u8[4], b: i8[4], out: f64[4]):
    with map(i=range(0, 4)):
        t: u8 = a[i]
        s: i8 = b[i]
        if t < u8(0):
            out[i] = 1.0
        elif t >= u8(0) and i8(127) >= s:
            out[i] = 2.0
        else:
            out[i] = 3.0
        if s > i8(127) or u8(255) < t:
            out[i] = 4.0
        if t <= u8(0) or s < i8(127):
            out[i] = 5.0
# --- after ---
def f(a: u8[4], b: i8[4], out: f64[4]):
    with map(i=range(0, 4)):
        t: u8 = a[i]
        s: i8 = b[i]
        out[i] = 2.0
        if t <= u8(0) or s < i8(127):
            out[i] = 5.0
