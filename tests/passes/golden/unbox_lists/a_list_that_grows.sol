@structure({"leaf": 0})
def f(n: i64) -> object(obj):
    held_by_objects: obj[()].ref("C")
    same: obj[()].ref("C", held_by_objects)
    callback("soljit.support.objects.same", outs=[same], ins=[], args=[[]], result={"object": "builtins.list"})
    for i in range(0, n):
        callback("builtins.list.append", outs=[], ins=[memlet(same[()]), f64(i) * 0.5], args=[{"$": 0}, {"$": 1, "weak": True}], effects=[same, held_by_objects])
    return memlet(same[()])
# --- after ---
@structure({"leaf": 0})
def f(n: i64) -> object(obj):
    held_by_objects: obj[()].ref("C")
    same_items: f64[:].ref("C", same_start, same_grown)
    same_size: i64
    same_room: i64
    same_start: f64[8]
    same_grown: f64[same_more]
    same_1: obj[()].ref("C")
    alloc(same_start)
    bind(same_items, same_start[0:8])
    same_size = 0
    same_room = 8
    for i in range(0, n):
        old: i64 = same_size
        if same_room <= old:
            same_n: i64 = same_size
            same_more: i64 = max(old + 1, 2 * same_n)
            alloc(same_grown)
            copy(same_grown[0:same_n], same_items[0:same_n])
            bind(same_items, same_grown[0:same_more])
            same_room = same_more
        same_items[old] = f64(i) * 0.5
        same_size = old + 1
    callback("soljit.support.numbers.as_list", outs=[same_1], ins=[same_items[0:same_size]], args=[True, {"$": 0}], result={"object": "builtins.list"})
    return memlet(same_1[()])
