@structure({"tuple": [{"leaf": 0}, {"leaf": 1}]})
def f(n: i64) -> (object(obj), object(obj)):
    held_by_objects: obj[()].ref("C")
    mixed: obj[()].ref("C", held_by_objects)
    given: obj[()].ref("C", held_by_objects)
    callback("soljit.support.objects.same", outs=[mixed], ins=[], args=[[1]], result={"object": "builtins.list"})
    callback("soljit.support.objects.same", outs=[given], ins=[], args=[[1.5]], result={"object": "builtins.list"})
    callback("builtins.list.append", outs=[], ins=[memlet(mixed[()])], args=[{"$": 0}, 1.5], effects=[mixed, held_by_objects])
    callback("builtins.print", outs=[], ins=[memlet(given[()])], args=[{"$": 0}], effects=[given, held_by_objects])
    return memlet(mixed[()]), memlet(given[()])
# --- after ---
(unchanged)
