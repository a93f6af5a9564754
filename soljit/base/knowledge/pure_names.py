"""Names of functions, methods and classes of Python and NumPy that have no effect: the table behind `base/knowledge/pure.py`.

A row is the name of a module or class and what is listed of it, separated by blanks. Pure means: on operands that were made for the
call, nothing outside of them changes, nothing outside is asked for more than a clock or random bits, and the call ends. What reads or
writes files, talks to a terminal, changes settings (`np.seterr`), waits, imports, or looks at frames is not in here; nor is what
only calls what it is given (`operator.call`, `operator.methodcaller`).

Functions marked in `CALLING` call functions that they are given: they are as pure as those.
The cost of those in `GROWING` grows with the value of an integer that they are given.
"""

from __future__ import annotations

_ELEMENTWISE_MA = (
    "abs absolute add arccos arccosh arcsin arcsinh arctan arctan2 arctanh bitwise_and bitwise_or bitwise_xor ceil conjugate cos cosh divide "
    "equal exp fabs floor floor_divide fmod greater greater_equal hypot left_shift less less_equal log log10 log2 logical_and logical_not "
    "logical_or logical_xor maximum minimum mod multiply negative not_equal power remainder right_shift sin sinh sqrt subtract tan tanh true_divide"
)
_DRAWS = (
    "beta binomial bytes chisquare choice dirichlet exponential f gamma geometric gumbel hypergeometric laplace logistic lognormal logseries "
    "multinomial multivariate_normal negative_binomial noncentral_chisquare noncentral_f normal pareto permutation poisson power random rayleigh "
    "shuffle standard_cauchy standard_exponential standard_gamma standard_normal standard_t triangular uniform vonmises wald weibull zipf"
)
_LEGACY_DRAWS = f"{_DRAWS} rand randint randn random_integers random_sample"
_TEXT = (
    "capitalize center count encode endswith expandtabs find index isalnum isalpha isdecimal isdigit islower isnumeric isspace istitle isupper "
    "join ljust lower lstrip partition replace rfind rindex rjust rpartition rsplit rstrip split splitlines startswith strip swapcase title "
    "translate upper zfill"
)
_TEXT_FUNCTIONS = f"{_TEXT} decode add equal greater greater_equal less less_equal mod multiply not_equal str_len slice array asarray compare_chararrays"
_ARRAY = (
    "all any argmax argmin argpartition argsort astype byteswap choose clip compress conj conjugate copy cumprod cumsum diagonal dot fill flatten "
    "getfield item itemset max mean min newbyteorder nonzero partition prod ptp put ravel repeat reshape resize round searchsorted setfield setflags "
    "sort squeeze std sum swapaxes take tobytes tolist tostring trace transpose var view"
)
_FAMILY = (
    "basis cast convert copy cutdeg degree deriv fit fromroots has_samecoef has_samedomain has_sametype has_samewindow identity integ linspace "
    "mapparms roots trim truncate"
)


def _polynomials(prefix: str, other: str) -> str:
    """The functions of one module of `numpy.polynomial`."""
    names = "add companion der div fit fromroots grid2d grid3d int line mul mulx pow roots sub trim val val2d val3d vander vander2d vander3d"
    return " ".join([*(prefix + n for n in names.split()), *other.split()])


PURE: dict[str, str] = {
    # Python
    "builtins": (
        "abs all any ascii bin bool bytearray bytes callable chr complex dict divmod enumerate filter float format frozenset getattr hasattr hash "
        "hex int isinstance issubclass iter len list map max min next object oct ord pow range repr reversed round set slice sorted str sum tuple zip"
    ),
    "builtins.str": f"{_TEXT} casefold format format_map isascii isidentifier isprintable maketrans removeprefix removesuffix",
    "builtins.bytes": f"{_TEXT} decode fromhex hex isascii maketrans removeprefix removesuffix",
    "builtins.bytearray": (
        f"{_TEXT} decode fromhex hex isascii maketrans removeprefix removesuffix append clear copy extend insert pop remove reverse"
    ),
    "builtins.int": "as_integer_ratio bit_count bit_length conjugate from_bytes is_integer to_bytes",
    "builtins.float": "as_integer_ratio conjugate from_number fromhex hex is_integer",
    "builtins.complex": "conjugate from_number",
    "builtins.list": "append clear copy count extend index insert pop remove reverse sort",
    "builtins.tuple": "count index",
    "builtins.dict": "clear copy fromkeys get items keys pop popitem setdefault update values",
    "builtins.set": (
        "add clear copy difference difference_update discard intersection intersection_update isdisjoint issubset issuperset pop remove "
        "symmetric_difference symmetric_difference_update union update"
    ),
    "builtins.frozenset": "copy difference intersection isdisjoint issubset issuperset symmetric_difference union",
    "builtins.range": "count index",
    "builtins.slice": "indices",
    "math": (
        "acos acosh asin asinh atan atan2 atanh cbrt ceil comb copysign cos cosh degrees dist erf erfc exp exp2 expm1 fabs factorial floor fma fmod "
        "frexp fsum gamma gcd hypot isclose isfinite isinf isnan isqrt lcm ldexp lgamma log log10 log1p log2 modf nextafter perm pow prod radians "
        "remainder sin sinh sqrt sumprod tan tanh trunc ulp"
    ),
    "cmath": "acos acosh asin asinh atan atanh cos cosh exp isclose isfinite isinf isnan log log10 phase polar rect sin sinh sqrt tan tanh",
    "operator": (
        "abs add and_ attrgetter concat contains countOf delitem eq floordiv ge getitem gt iadd iand iconcat ifloordiv ilshift imatmul imod imul "
        "index indexOf inv invert ior ipow irshift is_ is_not isub itemgetter itruediv ixor le length_hint lshift lt matmul mod mul ne neg not_ or_ "
        "pos pow rshift setitem sub truediv truth xor"
    ),
    "itertools": (
        "accumulate batched chain combinations combinations_with_replacement compress count cycle dropwhile filterfalse groupby islice pairwise "
        "permutations product repeat starmap takewhile tee zip_longest"
    ),
    "functools": "cmp_to_key partial reduce",
    "collections": "ChainMap Counter OrderedDict defaultdict deque namedtuple",
    "collections.deque": "append appendleft clear copy count extend extendleft index insert pop popleft remove reverse rotate",
    "collections.Counter": "copy elements fromkeys most_common subtract total update",
    "collections.OrderedDict": "clear copy fromkeys items keys move_to_end pop popitem setdefault update values",
    "collections.defaultdict": "copy",
    "collections.ChainMap": "clear copy fromkeys get new_child pop popitem",
    "contextlib": "nullcontext suppress",
    "copy": "copy deepcopy",
    "bisect": "bisect bisect_left bisect_right insort insort_left insort_right",
    "heapq": "heapify heappop heappush heappushpop heapreplace merge nlargest nsmallest",
    "statistics": (
        "NormalDist correlation covariance fmean geometric_mean harmonic_mean linear_regression mean median median_grouped median_high median_low "
        "mode multimode pstdev pvariance quantiles stdev variance"
    ),
    "statistics.NormalDist": "cdf from_samples inv_cdf overlap pdf quantiles samples zscore",
    "fractions": "Fraction",
    "fractions.Fraction": "as_integer_ratio from_decimal from_float from_number is_integer limit_denominator",
    "decimal": "Context Decimal DecimalTuple",
    "decimal.Decimal": (
        "adjusted as_integer_ratio as_tuple canonical compare compare_signal compare_total compare_total_mag conjugate copy_abs copy_negate copy_sign "
        "exp fma from_float from_number is_canonical is_finite is_infinite is_nan is_normal is_qnan is_signed is_snan is_subnormal is_zero ln log10 "
        "logb logical_and logical_invert logical_or logical_xor max max_mag min min_mag next_minus next_plus next_toward normalize number_class "
        "quantize radix remainder_near rotate same_quantum scaleb shift sqrt to_eng_string to_integral to_integral_exact to_integral_value"
    ),
    "datetime": "date datetime time timedelta timezone",
    "datetime.date": (
        "ctime fromisocalendar fromisoformat fromordinal fromtimestamp isocalendar isoformat isoweekday replace strftime timetuple today toordinal weekday"
    ),
    "datetime.datetime": (
        "astimezone combine ctime date dst fromisoformat fromtimestamp isoformat now replace strftime strptime time timestamp timetuple timetz "
        "tzname utcoffset utctimetuple"
    ),
    "datetime.time": "dst fromisoformat isoformat replace strftime tzname utcoffset",
    "datetime.timedelta": "total_seconds",
    "datetime.timezone": "dst fromutc tzname utcoffset",
    "string": "Template capwords",
    "string.Template": "get_identifiers is_valid safe_substitute substitute",
    "re": "compile escape findall finditer fullmatch match search split sub subn",
    "re.Pattern": "findall finditer fullmatch match search split sub subn",
    "re.Match": "end expand group groupdict groups span start",
    "json": "dumps loads",
    "random": "Random",
    "_random.Random": "getrandbits random seed",
    "random.Random": (
        "betavariate binomialvariate choice choices expovariate gammavariate gauss getrandbits lognormvariate normalvariate paretovariate randbytes "
        "randint random randrange sample seed shuffle triangular uniform vonmisesvariate weibullvariate"
    ),
    # NumPy
    "numpy": (
        "get_include get_printoptions getbufsize geterr geterrcall "
        "all allclose amax amin angle any append apply_along_axis apply_over_axes arange argmax argmin argpartition argsort argwhere around array "
        "array2string array_equal array_equiv array_repr array_split array_str asanyarray asarray asarray_chkfinite ascontiguousarray asfortranarray "
        "asmatrix astype atleast_1d atleast_2d atleast_3d average bartlett base_repr binary_repr bincount blackman block broadcast broadcast_arrays "
        "broadcast_shapes broadcast_to busday_count busday_offset busdaycalendar can_cast choose clip column_stack common_type compress concat "
        "concatenate convolve copy copyto corrcoef correlate count_nonzero cov cross cumprod cumsum cumulative_prod cumulative_sum datetime64 "
        "datetime_as_string datetime_data delete diag diag_indices diag_indices_from diagflat diagonal diff digitize dot dsplit dstack dtype ediff1d "
        "einsum einsum_path empty empty_like expand_dims extract eye fill_diagonal find_common_type finfo fix flatnonzero flip fliplr flipud "
        "format_float_positional format_float_scientific frombuffer fromfunction fromiter fromstring full full_like geomspace gradient hamming hanning "
        "histogram histogram2d histogram_bin_edges histogramdd hsplit hstack i0 identity iinfo imag in1d indices inner insert interp intersect1d "
        "is_busday isclose iscomplex iscomplexobj isdtype isfortran isin isneginf isposinf isreal isrealobj isscalar issubdtype iterable ix_ kaiser "
        "kron lexsort linspace logspace mask_indices matrix matrix_transpose max may_share_memory mean median meshgrid min min_scalar_type mintypecode "
        "moveaxis nan_to_num nanargmax nanargmin nancumprod nancumsum nanmax nanmean nanmedian nanmin nanpercentile nanprod nanquantile nanstd nansum "
        "nanvar ndarray ndenumerate ndim ndindex nditer nested_iters nonzero ones ones_like outer packbits pad partition percentile permute_dims "
        "piecewise place poly poly1d polyadd polyder polydiv polyfit polyint polymul polysub polyval prod promote_types ptp put put_along_axis putmask "
        "quantile ravel ravel_multi_index real real_if_close recarray record repeat require reshape resize result_type roll rollaxis roots rot90 round "
        "row_stack searchsorted select setdiff1d setxor1d shape shares_memory sinc size sort sort_complex split squeeze stack std sum swapaxes take "
        "take_along_axis tensordot tile timedelta64 trace transpose trapezoid trapz tri tril tril_indices tril_indices_from trim_zeros triu "
        "triu_indices triu_indices_from typename union1d unique unique_all unique_counts unique_inverse unique_values unpackbits unravel_index unstack "
        "unwrap vander var vdot vsplit vstack where zeros zeros_like "
        "bool bool_ byte bytes_ cdouble character clongdouble complex128 complex192 complex256 complex64 csingle double float128 float16 float32 "
        "float64 float96 half int16 int32 int64 int8 int_ intc intp long longdouble longlong object_ short single str_ ubyte uint uint16 uint32 "
        "uint64 uint8 uintc uintp ulong ulonglong ushort void"
    ),
    "numpy.ndarray": _ARRAY,
    "numpy.generic": _ARRAY,
    "numpy.number": "is_integer",
    "numpy.integer": "is_integer",
    "numpy.float16": "as_integer_ratio is_integer",
    "numpy.float32": "as_integer_ratio is_integer",
    "numpy.float64": "as_integer_ratio is_integer fromhex hex",
    "numpy.longdouble": "as_integer_ratio is_integer",
    **dict.fromkeys((f"numpy.{u}int{n}" for u in ("", "u") for n in (8, 16, 32, 64)), "bit_count"),
    "numpy.dtype": "newbyteorder",
    "numpy.void": "getfield setfield",
    "numpy.flatiter": "copy",
    "numpy.poly1d": "deriv integ",
    "numpy.matrix": "all any argmax argmin flatten getA getA1 getH getI getT max mean min prod ptp ravel squeeze std sum tolist var",
    "numpy.recarray": "field",
    "numpy.linalg": (
        "cholesky cond cross det diagonal eig eigh eigvals eigvalsh inv lstsq matmul matrix_norm matrix_power matrix_rank matrix_transpose multi_dot "
        "norm outer pinv qr slogdet solve svd svdvals tensordot tensorinv tensorsolve trace vecdot vector_norm"
    ),
    "numpy.fft": (
        "fft fft2 fftfreq fftn fftshift hfft ifft ifft2 ifftn ifftshift ihfft irfft irfft2 irfftn rfft rfft2 rfftfreq rfftn"
    ),
    "numpy.random": "Generator MT19937 PCG64 PCG64DXSM Philox RandomState SFC64 SeedSequence default_rng",
    "numpy.random.Generator": f"{_DRAWS} integers multivariate_hypergeometric permuted spawn",
    "numpy.random.RandomState": f"{_LEGACY_DRAWS} get_state seed set_state tomaxint",
    "numpy.lib.stride_tricks": "as_strided sliding_window_view",
    "numpy.emath": "arccos arcsin arctanh log log10 log2 logn power sqrt",
    "numpy.lib.array_utils": "byte_bounds normalize_axis_index normalize_axis_tuple",
    "numpy.lib.recfunctions": (
        "append_fields assign_fields_by_name drop_fields find_duplicates flatten_descr get_fieldstructure get_names get_names_flat join_by merge_arrays "
        "rec_append_fields rec_drop_fields rec_join recursive_fill_fields rename_fields repack_fields require_fields stack_arrays "
        "structured_to_unstructured unstructured_to_structured"
    ),
    **dict.fromkeys(
        (f"numpy.lib._index_tricks_impl.{n}" for n in ("AxisConcatenator", "IndexExpression", "nd_grid")), "__getitem__"
    ),  # of np.r_, np.c_, np.s_, np.index_exp, np.mgrid, np.ogrid
    "numpy.rec": "array find_duplicate format_parser fromarrays fromrecords fromstring",
    "numpy.char": _TEXT_FUNCTIONS,
    "numpy._core.defchararray": _TEXT_FUNCTIONS,  # what `numpy.char` gives out
    "numpy.strings": _TEXT_FUNCTIONS,
    "numpy.char.chararray": _TEXT,
    "numpy.ma": (
        f"{_ELEMENTWISE_MA} MaskedArray all allclose allequal alltrue amax amin angle anom anomalies any append apply_along_axis apply_over_axes arange "
        "argmax argmin argsort around array asanyarray asarray atleast_1d atleast_2d atleast_3d average choose clip clump_masked clump_unmasked "
        "column_stack common_fill_value compress compress_cols compress_nd compress_rowcols compress_rows compressed concatenate convolve copy corrcoef "
        "correlate count count_masked cov cumprod cumsum default_fill_value diag diagflat diagonal diff dot dstack ediff1d empty empty_like expand_dims "
        "filled fix_invalid flatnotmasked_contiguous flatnotmasked_edges flatten_mask flatten_structured_array frombuffer fromflex fromfunction getdata "
        "getmask getmaskarray harden_mask hsplit hstack identity ids in1d indices inner innerproduct intersect1d isMA isMaskedArray is_mask is_masked "
        "isarray isin make_mask make_mask_descr make_mask_none mask_cols mask_or mask_rowcols mask_rows masked_all masked_all_like masked_array "
        "masked_equal masked_greater masked_greater_equal masked_inside masked_invalid masked_less masked_less_equal masked_not_equal masked_object "
        "masked_outside masked_values masked_where max maximum_fill_value mean median min minimum_fill_value ndenumerate ndim nonzero "
        "notmasked_contiguous notmasked_edges ones ones_like outer outerproduct polyfit prod product ptp put putmask ravel repeat reshape resize round "
        "round_ row_stack set_fill_value setdiff1d setxor1d shape size soften_mask sometrue sort squeeze stack std sum swapaxes take trace transpose "
        "union1d unique vander var vstack where zeros zeros_like"
    ),
    "numpy.ma.MaskedArray": (
        "all anom any argmax argmin argpartition argsort compress compressed copy count cumprod cumsum diagonal dot filled flatten get_fill_value "
        "get_imag get_real harden_mask ids iscontiguous max mean min nonzero partition prod product ptp put ravel repeat reshape resize round "
        "set_fill_value shrink_mask soften_mask sort squeeze std sum swapaxes take tobytes toflex tolist torecords trace transpose unshare_mask var view"
    ),
    "numpy.ma.core.MaskedConstant": "copy",
    "numpy.ma.mvoid": "filled tolist",
    "numpy.ma.mrecords.MaskedRecords": "copy harden_mask soften_mask tolist view",
    "numpy.polynomial": "Chebyshev Hermite HermiteE Laguerre Legendre Polynomial",
    "numpy.polynomial._polybase.ABCPolyBase": _FAMILY,
    "numpy.polynomial.polynomial": _polynomials("poly", "polyvalfromroots"),
    "numpy.polynomial.chebyshev": _polynomials("cheb", "cheb2poly poly2cheb chebgauss chebweight chebpts1 chebpts2"),
    "numpy.polynomial.legendre": _polynomials("leg", "leg2poly poly2leg leggauss legweight"),
    "numpy.polynomial.hermite": _polynomials("herm", "herm2poly poly2herm hermgauss hermweight"),
    "numpy.polynomial.hermite_e": _polynomials("herme", "herme2poly poly2herme hermegauss hermeweight"),
    "numpy.polynomial.laguerre": _polynomials("lag", "lag2poly poly2lag laggauss lagweight"),
    "numpy.polynomial.polyutils": "as_series format_float getdomain mapdomain mapparms trimcoef trimseq",
    # here
    "soljit.support.objects": "index_array",
    "soljit.base.knowledge.pure": "first_item nothing",
}

UFUNC_METHODS = frozenset({"accumulate", "at", "outer", "reduce", "reduceat", "resolve_dtypes"})

# Classes whose instances may be operands of a call that is only tried, beside those that are numbers and containers of Python's.
OPERANDS = (
    "builtins.bytearray builtins.enumerate builtins.filter builtins.map builtins.object builtins.reversed builtins.zip "
    "collections.ChainMap collections.Counter collections.OrderedDict collections.defaultdict collections.deque "
    "contextlib.nullcontext contextlib.suppress "
    "datetime.date datetime.datetime datetime.time datetime.timedelta datetime.timezone decimal.Context decimal.Decimal decimal.DecimalTuple "
    "fractions.Fraction functools.partial "
    "itertools.accumulate itertools.batched itertools.chain itertools.combinations itertools.combinations_with_replacement itertools.compress "
    "itertools.dropwhile itertools.filterfalse itertools.groupby itertools.islice itertools.pairwise itertools.permutations itertools.product "
    "itertools.starmap itertools.takewhile itertools.zip_longest "
    "numpy.broadcast numpy.busdaycalendar numpy.char.chararray numpy.finfo numpy.flatiter numpy.iinfo numpy.ma.MaskedArray "
    "numpy.ma.core.MaskedConstant numpy.ma.mrecords.MaskedRecords numpy.ma.mvoid numpy.matrix numpy.ndarray numpy.ndenumerate numpy.ndindex "
    "numpy.nditer numpy.poly1d numpy.polynomial.Chebyshev numpy.polynomial.Hermite numpy.polynomial.HermiteE numpy.polynomial.Laguerre "
    "numpy.polynomial.Legendre numpy.polynomial.Polynomial numpy.random.Generator numpy.random.MT19937 numpy.random.PCG64 numpy.random.PCG64DXSM "
    "numpy.random.Philox numpy.random.RandomState numpy.random.SFC64 numpy.random.SeedSequence numpy.recarray numpy.record "
    "operator.attrgetter operator.itemgetter random.Random re.Match re.Pattern statistics.NormalDist string.Template "
    "soljit.base.knowledge.pure.Anything"
)

UNCHANGING = (
    "decimal.Decimal fractions.Fraction re.Pattern numpy.lib._index_tricks_impl.CClass numpy.lib._index_tricks_impl.IndexExpression "
    "numpy.lib._index_tricks_impl.MGridClass numpy.lib._index_tricks_impl.OGridClass numpy.lib._index_tricks_impl.RClass"
)  # which no method changes, beside numbers, texts and tuples

# Iterators without an end: only these functions stop by themselves when they are given one.
ENDLESS = "itertools.count itertools.cycle itertools.repeat"
STOPPING = "builtins.iter builtins.next itertools.islice"

_CALLING = (
    "builtins.filter builtins.map functools.reduce numpy.apply_along_axis numpy.apply_over_axes numpy.fromfunction numpy.fromiter "
    "numpy.ma.apply_along_axis numpy.ma.apply_over_axes numpy.ma.fromfunction numpy.piecewise numpy.pad"
)

_GROWING = (
    "builtins.bytearray builtins.bytes builtins.pow math.comb math.factorial math.perm operator.imul operator.ipow operator.lshift operator.mul "
    "operator.pow operator.ilshift "
    "numpy.arange numpy.bartlett numpy.bincount numpy.blackman numpy.diag_indices numpy.empty numpy.eye numpy.full numpy.geomspace numpy.hamming "
    "numpy.hanning numpy.histogram numpy.identity numpy.indices numpy.kaiser numpy.linspace numpy.logspace numpy.ndarray numpy.ndindex numpy.ones "
    "numpy.pad numpy.repeat numpy.resize numpy.strings.multiply numpy.tile numpy.tri numpy.tril_indices numpy.triu_indices numpy.vander numpy.zeros "
    "numpy.fft.fft numpy.fft.fftfreq numpy.fft.hfft numpy.fft.ifft numpy.fft.ihfft numpy.fft.irfft numpy.fft.rfft numpy.fft.rfftfreq "
    "numpy.ma.arange numpy.ma.empty numpy.ma.identity numpy.ma.masked_all numpy.ma.ones numpy.ma.zeros"
)
CALLING, GROWING = frozenset(_CALLING.split()), frozenset(_GROWING.split())
