def f(a, b):
    for i1 in range(0, len(a), 2):
        for i0 in range(i1):
            pass
    if i0:
        pass

def calls():
    return [(np.array([2.5], dtype=np.float64), np.repeat(np.array([0.5], dtype=np.float32), 2)[::2])]

# seed 847 : exception
# compiled code differs from Python:
#   exception None instead of UnboundLocalError("cannot access local variable 'i0' where it is not associated with a value")
# 
#     def f(a, b):
#         for i1 in range(0, len(a), 2):
#             for i0 in range(i1):
#                 pass
#         if i0:
#             pass
# 
#   argument 0 = float64[1]: [2.5]
#   argument 1 = float32[1]: [0.5]
