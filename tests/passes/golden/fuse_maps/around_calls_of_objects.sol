@symbols(N=u.shape[0])
@guards(N >= 3)
def f(u: f64[N], v: f64[N], w: f64[N], sim: object):
    held_by_objects: obj[()].ref("C", u)
    with map(i=range(0, N)):
        v[i] = u[i] * 2.0
    callback("param:sim.step", outs=[], ins=[], effects=[held_by_objects])
    with map(j=range(0, N)):
        w[j] = u[j] * 3.0
    with map(k=range(0, N)):
        w[k] = w[k] + v[k]
# --- after ---
@symbols(N=u.shape[0])
@guards(N >= 3)
def f(u: f64[N], v: f64[N], w: f64[N], sim: object):
    held_by_objects: obj[()].ref("C", u)
    with map(i=range(0, N)):
        v[i] = u[i] * 2.0
    callback("param:sim.step", outs=[], ins=[], effects=[held_by_objects])
    with map(j=range(0, N)):
        w[j] = u[j] * 3.0
        w[j] = w[j] + v[j]
