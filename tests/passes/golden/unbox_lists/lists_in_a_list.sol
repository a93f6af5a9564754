@guards(0 < n, n <= 2147483647)
@structure({"leaf": 0})
def f(n: i64) -> object(obj):
    held_by_objects: obj[()].ref("C")
    same: obj[()].ref("C", held_by_objects)
    same_2: obj[()].ref("C", held_by_objects)
    mul: obj[()].ref("C", held_by_objects)
    getitem: obj[()].ref("C", held_by_objects)
    callback("soljit.support.objects.same", outs=[same], ins=[], args=[[]], result={"object": "builtins.list"})
    for i in range(0, n):
        callback("soljit.support.objects.same", outs=[same_2], ins=[], args=[[0]], result={"object": "builtins.list"})
        callback("operator.mul", outs=[mul], ins=[memlet(same_2[()]), n], args=[{"$": 0}, {"$": 1, "weak": True}], effects=[same_2, held_by_objects], result={"object": "builtins.list"})
        callback("builtins.list.append", outs=[], ins=[memlet(same[()]), memlet(mul[()])], args=[{"$": 0}, {"$": 1}], effects=[mul, same, held_by_objects])
    for i_2 in range(0, n):
        for k in range(0, n):
            callback("operator.getitem", outs=[getitem], ins=[memlet(same[()]), i_2], args=[{"$": 0}, {"$": 1, "weak": True}], effects=[same, held_by_objects], result={"object": "builtins.list"})
            callback("operator.setitem", outs=[], ins=[memlet(getitem[()]), k, i_2 - k], args=[{"$": 0}, {"$": 1, "weak": True}, {"$": 2, "weak": True}], effects=[getitem, held_by_objects])
    return memlet(same[()])
# --- after ---
@guards(0 < n, n <= 2147483647)
@structure({"leaf": 0})
def f(n: i64) -> object(obj):
    held_by_objects: obj[()].ref("C")
    pool0_items: i64[:].ref("C", pool0_items_0)
    pool0_start: i64[:].ref("C", pool0_start_0)
    pool0_size: i64[:].ref("C", pool0_size_0)
    pool0_room: i64[:].ref("C", pool0_room_0)
    pool0_free: i64[:].ref("C", pool0_free_0)
    pool0_spare: i64
    pool0_top: i64
    pool0_lists: i64
    pool0_space: i64
    pool0_given: i64
    pool1_items: i64[:].ref("C", pool1_items_0)
    pool1_start: i64[:].ref("C", pool1_start_0)
    pool1_size: i64[:].ref("C", pool1_size_0)
    pool1_room: i64[:].ref("C", pool1_room_0)
    pool1_free: i64[:].ref("C", pool1_free_0)
    pool1_spare: i64
    pool1_top: i64
    pool1_lists: i64
    pool1_space: i64
    pool1_given: i64
    same_list: i64
    same_2_items: i64[1]
    boxes: obj[()].ref("C")
    same_1: obj[()].ref("C")
    pool0_start_0: i64[64]
    pool0_size_0: i64[64]
    pool0_room_0: i64[64]
    pool0_free_0: i64[64]
    pool0_items_0: i64[1024]
    pool1_start_0: i64[64]
    pool1_size_0: i64[64]
    pool1_room_0: i64[64]
    pool1_free_0: i64[64]
    pool1_items_0: i64[1024]
    alloc(pool0_start_0)
    bind(pool0_start, pool0_start_0[0:64])
    alloc(pool0_size_0, zero=True)
    bind(pool0_size, pool0_size_0[0:64])
    alloc(pool0_room_0)
    bind(pool0_room, pool0_room_0[0:64])
    alloc(pool0_free_0)
    bind(pool0_free, pool0_free_0[0:64])
    alloc(pool0_items_0)
    bind(pool0_items, pool0_items_0[0:1024])
    for k_3 in range(0, 64):
        pool0_free[k_3] = 63 - k_3
    pool0_spare = 64
    pool0_top = 0
    pool0_lists = 64
    pool0_space = 1024
    pool0_given = 0
    same_list = -1
    alloc(pool1_start_0)
    bind(pool1_start, pool1_start_0[0:64])
    alloc(pool1_size_0, zero=True)
    bind(pool1_size, pool1_size_0[0:64])
    alloc(pool1_room_0)
    bind(pool1_room, pool1_room_0[0:64])
    alloc(pool1_free_0)
    bind(pool1_free, pool1_free_0[0:64])
    alloc(pool1_items_0)
    bind(pool1_items, pool1_items_0[0:1024])
    for k_4 in range(0, 64):
        pool1_free[k_4] = 63 - k_4
    pool1_spare = 64
    pool1_top = 0
    pool1_lists = 64
    pool1_space = 1024
    pool1_given = 0
    if pool0_spare <= 0 or pool0_space <= pool0_top + 7:
        callback("soljit.support.list_pools.more_room", outs=[pool0_start, pool0_size, pool0_room, pool0_free, pool0_spare, pool0_top, pool0_lists, pool0_space, pool0_items], ins=[1, 8, pool0_given, same_list, pool0_start[0:pool0_lists], pool0_size[0:pool0_lists], pool0_room[0:pool0_lists], pool0_items[0:pool0_space]], args=[{"$": 0, "weak": True}, {"$": 1, "weak": True}, {"$": 2, "weak": True}, [{"$": 3, "weak": True}], [], {"$": 4}, {"$": 5}, {"$": 6}, {"$": 7}], result={"tuple": [{"array": ["i64", 1]}, {"array": ["i64", 1]}, {"array": ["i64", 1]}, {"array": ["i64", 1]}, "int", "int", "int", "int", {"array": ["i64", 1]}]})
    spare: i64 = pool0_spare - 1
    list: i64 = pool0_free[spare]
    top: i64 = pool0_top
    pool0_spare = spare
    pool0_top = top + 8
    pool0_start[list] = top
    pool0_size[list] = 0
    pool0_room[list] = 8
    first: i64 = pool0_start[list]
    same_is: i64 = list
    same_list = same_is
    for i in range(0, n):
        alloc(same_2_items)
        same_2_items[0] = 0
        times: i64 = max(n, 0)
        if 1099511627777 <= times:
            raise builtins.MemoryError
        if pool1_spare <= 0 or pool1_space < times + pool1_top:
            callback("soljit.support.list_pools.more_room", outs=[pool1_start, pool1_size, pool1_room, pool1_free, pool1_spare, pool1_top, pool1_lists, pool1_space, pool1_items], ins=[1, times, pool1_given, pool0_start[0:pool0_lists], pool0_size[0:pool0_lists], pool0_items[0:pool0_space], pool1_start[0:pool1_lists], pool1_size[0:pool1_lists], pool1_room[0:pool1_lists], pool1_items[0:pool1_space]], args=[{"$": 0, "weak": True}, {"$": 1, "weak": True}, {"$": 2, "weak": True}, [], [[{"$": 3}, {"$": 4}, {"$": 5}]], {"$": 6}, {"$": 7}, {"$": 8}, {"$": 9}], result={"tuple": [{"array": ["i64", 1]}, {"array": ["i64", 1]}, {"array": ["i64", 1]}, {"array": ["i64", 1]}, "int", "int", "int", "int", {"array": ["i64", 1]}]})
        spare_1: i64 = pool1_spare - 1
        list_1: i64 = pool1_free[spare_1]
        top_1: i64 = pool1_top
        pool1_spare = spare_1
        pool1_top = times + top_1
        pool1_start[list_1] = top_1
        pool1_size[list_1] = times
        pool1_room[list_1] = times
        first_1: i64 = pool1_start[list_1]
        with map(k_1=range(0, times)):
            pool1_items[first_1 + k_1] = 0
        mul_is: i64 = list_1
        old: i64 = pool0_size[same_is]
        if pool0_room[same_is] <= old:
            same_n: i64 = pool0_size[same_is]
            same_more: i64 = max(old + 1, 2 * same_n)
            same_room: i64 = max(same_more, 8)
            if pool0_spare < 0 or pool0_space < same_room + pool0_top:
                callback("soljit.support.list_pools.more_room", outs=[pool0_start, pool0_size, pool0_room, pool0_free, pool0_spare, pool0_top, pool0_lists, pool0_space, pool0_items], ins=[0, same_room, pool0_given, same_list, pool0_start[0:pool0_lists], pool0_size[0:pool0_lists], pool0_room[0:pool0_lists], pool0_items[0:pool0_space]], args=[{"$": 0, "weak": True}, {"$": 1, "weak": True}, {"$": 2, "weak": True}, [{"$": 3, "weak": True}], [], {"$": 4}, {"$": 5}, {"$": 6}, {"$": 7}], result={"tuple": [{"array": ["i64", 1]}, {"array": ["i64", 1]}, {"array": ["i64", 1]}, {"array": ["i64", 1]}, "int", "int", "int", "int", {"array": ["i64", 1]}]})
            first_2: i64 = pool0_start[same_is]
            top_2: i64 = pool0_top
            for k_2 in range(0, same_n):
                pool0_items[k_2 + top_2] = pool0_items[first_2 + k_2]
            pool0_start[same_is] = top_2
            pool0_top = same_room + top_2
            pool0_room[same_is] = same_room
        first_3: i64 = pool0_start[same_is]
        pool0_items[first_3 + old] = mul_is
        pool0_size[same_is] = old + 1
    length: i64 = pool0_size[same_is]
    first_4: i64 = pool0_start[same_is]
    for i_2 in range(0, n):
        bad: b1 = length <= i_2
        at: i64 = 0 if length <= i_2 else i_2
        row: i64 = 0 if bad else pool0_items[at + first_4]
        getitem_is: i64 = row
        length_1: i64 = pool1_size[getitem_is]
        first_5: i64 = pool1_start[getitem_is]
        for k in range(0, n):
            if bad:
                raise builtins.IndexError("list index out of range")
            if length_1 <= k:
                raise builtins.IndexError("list assignment index out of range")
            pool1_items[first_5 + k] = i_2 - k
    callback("soljit.support.list_pools.Boxes", outs=[boxes], ins=[], result={"object": "soljit.support.list_pools.Boxes"})
    callback("soljit.support.list_pools.boxed", outs=[same_1], ins=[memlet(boxes[()]), same_is, pool0_start[0:pool0_lists], pool0_size[0:pool0_lists], pool0_items[0:pool0_space], pool1_start[0:pool1_lists], pool1_size[0:pool1_lists], pool1_items[0:pool1_space]], args=[{"$": 0}, 0, {"$": 1, "weak": True}, [[1, False, {"$": 2}, {"$": 3}, {"$": 4}], [-1, True, {"$": 5}, {"$": 6}, {"$": 7}]]], result={"object": "builtins.list"})
    return memlet(same_1[()])
