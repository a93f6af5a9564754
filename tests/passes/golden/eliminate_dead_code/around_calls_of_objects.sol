@symbols(N=u.shape[0])
def f(u: f64[N], sim: object):
    held_by_objects: obj[()].ref("C", s, u)
    s: f64[N]
    t: f64[N]
    alloc(s)
    alloc(t)
    with map(i=range(0, N)):
        s[i] = u[i] * 2.0
        t[i] = u[i] * 3.0
    callback("param:sim.step", outs=[], ins=[], effects=[held_by_objects])
# --- after ---
@symbols(N=u.shape[0])
def f(u: f64[N], sim: object):
    held_by_objects: obj[()].ref("C", s, u)
    s: f64[N]
    alloc(s)
    with map(i=range(0, N)):
        s[i] = u[i] * 2.0
    callback("param:sim.step", outs=[], ins=[], effects=[held_by_objects])
