@symbols(n=x.shape[0])
def sines(x: f64[n], y: f32, a: f64) -> (array(f64, 1), scalar(f64), scalar(f32)):
    z: f64[n]
    s: f64
    one: f64 = sin(a) + tan(a)
    single: f32 = cos(y)
    alloc(z)
    with map(i=range(0, n)):
        z[i] = sin(x[i]) * cos(one)
    s = 0.0
    for j in range(0, n):
        s = cos(s + x[j])
        with map(k=range(j, n)):
            z[k] = z[k] + cos(s)
    return z[0:n], one + s, single
# --- after ---
@symbols(n=x.shape[0])
def sines(x: f64[n], y: f32, a: f64) -> (array(f64, 1), scalar(f64), scalar(f32)):
    z: f64[n]
    s: f64
    one: f64 = libm_sin(a) + tan(a)
    single: f32 = cos(y)
    alloc(z)
    with map(i=range(0, n)):
        z[i] = sin(x[i]) * cos(one)
    s = 0.0
    for j in range(0, n):
        s = libm_cos(s + x[j])
        with map(k=range(j, n)):
            z[k] = z[k] + cos(s)
    return z[0:n], one + s, single
