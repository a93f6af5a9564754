@symbols(N=u.shape[0])
@guards(N >= 4)
def f(u: f64[N], v: f64[N]):
    lap: f64[N - 2]
    flx: f64[N - 3]
    alloc(lap)
    with map(i=range(0, N - 2)):
        lap[i] = u[i] + u[i + 2] - 2.0 * u[i + 1]
    alloc(flx)
    with map(j=range(0, N - 3)):
        r: f64 = lap[j + 1] - lap[j]
        flx[j] = 0.0 if r * (u[j + 2] - u[j + 1]) > 0.0 else r
    with map(k=range(0, N - 4)):
        v[k] = u[k + 2] - (flx[k + 1] - flx[k])
# --- after ---
@symbols(N=u.shape[0])
@guards(N >= 4)
def f(u: f64[N], v: f64[N]):
    with map(k=range(0, N - 4)):
        lap_at_2: f64 = u[k + 1 + 1] + u[k + 1 + 1 + 2] - 2.0 * u[k + 1 + 1 + 1]
        lap_at_1_1: f64 = u[k + 1] + u[k + 1 + 2] - 2.0 * u[k + 1 + 1]
        r_1: f64 = lap_at_2 - lap_at_1_1
        flx_at: f64 = 0.0 if r_1 * (u[k + 1 + 2] - u[k + 1 + 1]) > 0.0 else r_1
        lap_at_3: f64 = u[k + 1] + u[k + 1 + 2] - 2.0 * u[k + 1 + 1]
        lap_at_1_2: f64 = u[k] + u[k + 2] - 2.0 * u[k + 1]
        r_2: f64 = lap_at_3 - lap_at_1_2
        flx_at_1: f64 = 0.0 if r_2 * (u[k + 2] - u[k + 1]) > 0.0 else r_2
        v[k] = u[k + 2] - (flx_at - flx_at_1)
