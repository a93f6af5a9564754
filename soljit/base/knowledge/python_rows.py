"""Rows of the table for what Python ships. `table.py` says how they are written."""

from __future__ import annotations

ROWS = """
builtins
    [asks takes=none] getattr hasattr
    [blind takes=all] list tuple
    [blind takes=none gives=int] len
    [calls operand takes=later] filter map
    [changes=0 outside frame] delattr setattr
    [changes=0 stops takes=some] next
    [folds takes=each] max min sum
    [frame] __import__ breakpoint classmethod compile dir eval exec exit globals help input locals memoryview open property quit staticmethod super vars
    [frame takes=none] id
    [grows operand takes=each] bytearray
    [grows takes=each] bytes
    [grows takes=none] pow
    [operand takes=later] enumerate reversed zip
    [operand takes=none] object
    [outside takes=none] type
    [outside takes=none gives=none] print
    [stops takes=later] iter
    [takes=all] sorted
    [takes=each] dict frozenset set
    [takes=none] abs divmod issubclass range round slice
    [takes=none gives=bool] bool callable isinstance
    [takes=none gives=complex] complex
    [takes=none gives=float] float
    [takes=none gives=int] hash int ord
    [takes=none gives=text] ascii bin chr format hex oct repr str
    [takes=some gives=bool] all any
builtins.str
    capitalize casefold center count encode endswith expandtabs find format format_map index isalnum isalpha isascii isdecimal isdigit isidentifier
    islower isnumeric isprintable isspace istitle isupper ljust lower lstrip maketrans partition removeprefix removesuffix replace rfind rindex rjust
    rpartition rsplit rstrip split splitlines startswith strip swapcase title translate upper zfill
    [takes=all] join
builtins.bytes
    capitalize center count decode endswith expandtabs find fromhex hex index isalnum isalpha isascii isdigit islower isspace istitle isupper ljust lower
    lstrip maketrans partition removeprefix removesuffix replace rfind rindex rjust rpartition rsplit rstrip split splitlines startswith strip swapcase
    title translate upper zfill
    [takes=all] join
builtins.bytearray
    capitalize center copy count decode endswith expandtabs find fromhex hex index isalnum isalpha isascii isdigit islower isspace istitle isupper join
    ljust lower lstrip maketrans partition removeprefix removesuffix replace rfind rindex rjust rpartition rsplit rstrip split splitlines startswith strip
    swapcase title translate upper zfill
    [changes=0] append clear extend insert pop remove reverse
builtins.int
    as_integer_ratio bit_count bit_length conjugate from_bytes to_bytes
    [elsewhere] is_integer
builtins.float
    as_integer_ratio conjugate fromhex hex is_integer
    [elsewhere] from_number
builtins.complex
    conjugate
    [elsewhere] from_number
builtins.list
    [blind] copy
    [changes=0] sort
    [changes=0 blind] pop reverse
    [changes=0 compared] remove
    [changes=0 drops blind] clear
    [changes=0 keeps blind] append insert
    [changes=0 keeps blind takes=each] extend
    [compared] count index
builtins.tuple
    count index
builtins.dict
    [blind] copy items keys values
    [changes=0] clear pop popitem
    [changes=0 keeps] setdefault
    [changes=0 keeps takes=each] update
    [keyed] get
    [takes=each] fromkeys
builtins.set
    copy
    [changes=0] clear discard pop remove
    [changes=0 keeps] add
    [changes=0 keeps takes=each] update
    [changes=0 takes=each] difference_update intersection_update symmetric_difference_update
    [takes=each] difference intersection isdisjoint issubset symmetric_difference union
    [takes=some] issuperset
builtins.frozenset
    copy
    [takes=each] difference intersection isdisjoint issubset symmetric_difference union
    [takes=some] issuperset
builtins.range
    count index
builtins.slice
    indices
math
    acos acosh asin asinh atan atan2 atanh ceil copysign cos cosh degrees dist erf erfc exp expm1 fabs floor fmod frexp gamma gcd hypot isclose isfinite
    isinf isnan isqrt lcm ldexp lgamma log log10 log1p log2 modf nextafter pow radians remainder sin sinh sqrt tan tanh trunc ulp
    [elsewhere] cbrt exp2 fma
    [elsewhere takes=each] sumprod
    [grows] comb factorial perm
    [takes=each] fsum prod
cmath
    acos acosh asin asinh atan atanh cos cosh exp isclose isfinite isinf isnan log log10 phase polar rect sin sinh sqrt tan tanh
operator
    abs add and_ concat eq floordiv ge gt index inv invert is_ is_not le length_hint lt matmul mod ne neg not_ or_ pos rshift sub truediv truth xor
    [changes=0] iadd iand iconcat ifloordiv imatmul imod ior irshift isub itruediv ixor
    [changes=0 drops keyed] delitem
    [changes=0 grows] ilshift imul ipow
    [changes=0 keeps drops keyed] setitem
    [compared takes=some] contains
    [grows] lshift mul pow
    [keyed] getitem
    [operand] attrgetter itemgetter
    [outside] methodcaller
    [outside calls elsewhere] call
    [takes=each] countOf
    [takes=some] indexOf
itertools
    [calls operand takes=later] accumulate dropwhile filterfalse groupby starmap takewhile
    [endless takes=later] count cycle repeat
    [operand elsewhere takes=later] batched
    [operand takes=all] combinations combinations_with_replacement permutations product
    [operand takes=later] chain compress pairwise zip_longest
    [stops operand takes=later] islice
    [takes=later] tee
functools
    cmp_to_key
    [calls takes=each] reduce
    [operand] partial
collections
    namedtuple
    [operand] ChainMap defaultdict
    [operand takes=each] Counter OrderedDict deque
collections.deque
    copy count index
    [changes=0] clear pop popleft remove reverse rotate
    [changes=0 keeps] append appendleft insert
    [changes=0 keeps takes=each] extend extendleft
collections.Counter
    copy elements fromkeys most_common total
    [changes=0 keeps takes=each] update
    [changes=0 takes=each] subtract
collections.OrderedDict
    copy fromkeys items keys values
    [changes=0] clear move_to_end pop popitem
    [changes=0 keeps] setdefault
    [changes=0 keeps takes=each] update
collections.defaultdict
    copy
collections.ChainMap
    copy fromkeys get new_child
    [changes=0] clear pop popitem
contextlib
    [operand] nullcontext suppress
copy
    copy deepcopy
bisect
    bisect bisect_left bisect_right
    [changes=0 keeps] insort insort_left insort_right
heapq
    [changes=0] heapify heappop
    [changes=0 keeps] heappush heappushpop heapreplace
    [takes=each] nlargest nsmallest
    [takes=later] merge
statistics
    correlation covariance linear_regression
    [operand] NormalDist
    [takes=all] median median_grouped median_high median_low quantiles
    [takes=each] fmean geometric_mean harmonic_mean mean mode multimode pstdev pvariance stdev variance
statistics.NormalDist
    cdf from_samples inv_cdf overlap pdf quantiles samples zscore
fractions
    [operand immutable] Fraction
fractions.Fraction
    as_integer_ratio from_decimal from_float limit_denominator
    [elsewhere] from_number is_integer
decimal
    [operand] Context DecimalTuple
    [operand immutable] Decimal
decimal.Decimal
    adjusted as_integer_ratio as_tuple canonical compare compare_signal compare_total compare_total_mag conjugate copy_abs copy_negate copy_sign exp fma
    from_float is_canonical is_finite is_infinite is_nan is_normal is_qnan is_signed is_snan is_subnormal is_zero ln log10 logb logical_and logical_invert
    logical_or logical_xor max max_mag min min_mag next_minus next_plus next_toward normalize number_class quantize radix remainder_near rotate
    same_quantum scaleb shift sqrt to_eng_string to_integral to_integral_exact to_integral_value
    [elsewhere] from_number
datetime
    [operand] date datetime time timedelta timezone
datetime.date
    ctime fromisocalendar fromisoformat fromordinal fromtimestamp isocalendar isoformat isoweekday replace strftime timetuple today toordinal weekday
datetime.datetime
    astimezone combine ctime date dst fromisoformat fromtimestamp isoformat now replace strftime strptime time timestamp timetuple timetz tzname utcoffset
    utctimetuple
datetime.time
    dst fromisoformat isoformat replace strftime tzname utcoffset
datetime.timedelta
    total_seconds
datetime.timezone
    dst fromutc tzname utcoffset
string
    capwords
    [operand] Template
string.Template
    safe_substitute substitute
    [elsewhere] get_identifiers is_valid
re
    compile escape findall finditer fullmatch match search split sub subn
    [operand] Match
    [operand immutable] Pattern
re.Pattern
    findall finditer fullmatch match search split sub subn
re.Match
    end expand group groupdict groups span start
json
    dumps loads
random
    [operand] Random
_random.Random
    [changes=0] seed
    [draws] random
    [draws gives=int] getrandbits
random.Random
    [changes=0] seed
    [changes=1 draws] shuffle
    [draws] betavariate choice choices expovariate gammavariate gauss lognormvariate normalvariate paretovariate randbytes random sample triangular
    uniform vonmisesvariate weibullvariate
    [draws elsewhere] binomialvariate
    [draws gives=int] getrandbits randint randrange
sys
    [frame] _current_frames _getframe exc_info setrecursionlimit
    [frame elsewhere] exception
traceback
    [frame] extract_stack format_exc format_stack print_exc print_stack
inspect
    [frame] currentframe stack trace
time
    [outside gives=float] monotonic perf_counter process_time time
builtins.object
    [changes=0 outside] __setattr__
importlib
    [outside] import_module
"""
