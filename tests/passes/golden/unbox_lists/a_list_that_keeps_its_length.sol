@structure({"leaf": 0})
def f(n: i64) -> python(i64):
    held_by_objects: obj[()].ref("C")
    same: obj[()].ref("C", held_by_objects)
    mul: obj[()].ref("C", held_by_objects)
    steps: obj[()].ref("C", held_by_objects)
    has_next: b1
    take: i64
    t: i64
    callback("soljit.support.objects.same", outs=[same], ins=[], args=[[0]], result={"object": "builtins.list"})
    callback("operator.mul", outs=[mul], ins=[memlet(same[()]), n], args=[{"$": 0}, {"$": 1, "weak": True}], effects=[same, held_by_objects], result={"object": "builtins.list"})
    callback("operator.setitem", outs=[], ins=[memlet(mul[()]), n - 1], args=[{"$": 0}, {"$": 1, "weak": True}, 7], effects=[mul, held_by_objects])
    t = 0
    callback("soljit.support.objects.steps", outs=[steps], ins=[memlet(mul[()])], args=[{"$": 0}], effects=[mul, held_by_objects], result={"object": None})
    while True:
        callback("soljit.support.objects.has_next", outs=[has_next], ins=[memlet(steps[()])], args=[{"$": 0}], effects=[steps, held_by_objects], result="bool")
        has_next_2: b1 = has_next
        if not has_next_2:
            break
        callback("soljit.support.objects.take", outs=[take], ins=[memlet(steps[()])], args=[{"$": 0}], effects=[steps, held_by_objects], result="int")
        take_2: i64 = take
        t = t + take_2
    t_2: i64 = t
    return t_2
# --- after ---
@structure({"leaf": 0})
def f(n: i64) -> python(i64):
    held_by_objects: obj[()].ref("C")
    has_next: b1
    take: i64
    t: i64
    same_items: i64[1]
    mul_items: i64[times]
    alloc(same_items)
    same_items[0] = 0
    times: i64 = max(n, 0)
    if 1099511627777 <= times:
        raise builtins.MemoryError
    alloc(mul_items, zero=True)
    index: i64 = n - 1
    if index + times < 0 or times <= index:
        raise builtins.IndexError("list assignment index out of range")
    mul_items[index + times if index < 0 else index] = 7
    t = 0
    for k in range(0, times):
        take = mul_items[k]
        take_2: i64 = take
        t = t + take_2
    t_2: i64 = t
    return t_2
