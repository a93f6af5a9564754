"""Rows of the table for what NumPy ships. `table.py` says how they are written."""

from __future__ import annotations

ROWS = """
numpy
    allclose angle append argpartition argsort argwhere array array2string array_equal array_equiv array_repr array_split array_str asanyarray asarray
    asarray_chkfinite ascontiguousarray asfortranarray asmatrix astype atleast_1d atleast_2d atleast_3d average base_repr binary_repr bool bool_
    broadcast_arrays broadcast_shapes broadcast_to byte bytes_ can_cast cdouble character clongdouble column_stack common_type complex128 complex64
    convolve copy corrcoef correlate count_nonzero cov cross csingle datetime64 datetime_as_string datetime_data delete diag diag_indices_from diagflat
    diagonal diff digitize double dsplit dstack dtype ediff1d einsum_path empty_like extract flatnonzero flip fliplr flipud float16 float32 float64
    format_float_positional format_float_scientific frombuffer fromstring full_like get_include get_printoptions getbufsize geterr geterrcall gradient
    half histogram2d histogram_bin_edges hsplit hstack i0 imag inner insert int16 int32 int64 int8 int_ intc interp intersect1d intp isclose iscomplex
    iscomplexobj isdtype isin isreal isrealobj isscalar issubdtype iterable ix_ kron lexsort long longdouble longlong mask_indices matrix_transpose
    meshgrid min_scalar_type mintypecode moveaxis ndim nested_iters nonzero object_ ones_like packbits partition permute_dims poly polyadd polyder polydiv
    polyfit polyint polymul polysub polyval promote_types ravel ravel_multi_index real real_if_close require reshape result_type roll rollaxis roots rot90
    searchsorted select setdiff1d setxor1d shape short sinc single size sort sort_complex split str_ swapaxes take_along_axis tensordot timedelta64
    transpose trapezoid tril tril_indices_from trim_zeros triu triu_indices_from typename ubyte uint uint16 uint32 uint64 uint8 uintc uintp ulong
    ulonglong union1d unique unique_all unique_counts unique_inverse unique_values unpackbits unravel_index unwrap ushort vdot void vsplit vstack where
    zeros_like
    [calls] apply_along_axis apply_over_axes fromfunction piecewise
    [calls grows] pad
    [calls takes=each] fromiter
    [changes=0] copyto fill_diagonal place put put_along_axis putmask
    [changes=?] nan_to_num
    [elsewhere] complex192 complex256 float128 float96 in1d row_stack trapz unstack
    [grows] arange bartlett bincount blackman diag_indices empty eye full geomspace hamming hanning histogram identity indices kaiser linspace logspace
    ones repeat resize tile tri tril_indices triu_indices vander zeros
    [grows operand] ndarray
    [grows operand takes=later] ndindex
    [into] all amax amin any argmax argmin around busday_count busday_offset choose clip compress concat concatenate cumprod cumsum dot einsum fix
    is_busday isneginf isposinf max mean median min nanargmax nanargmin nancumprod nancumsum nanmax nanmean nanmedian nanmin nanpercentile nanprod
    nanquantile nanstd nansum nanvar outer percentile prod ptp quantile round stack std sum take trace var
    [into elsewhere] cumulative_prod cumulative_sum
    [lists] block expand_dims histogramdd isfortran may_share_memory shares_memory squeeze
    [operand] busdaycalendar finfo flatiter iinfo matrix nditer poly1d recarray record
    [operand takes=later] broadcast ndenumerate
    [outside takes=later] vectorize
numpy.ndarray
    argpartition argsort astype conj conjugate copy diagonal flatten getfield item nonzero ravel repeat reshape searchsorted squeeze swapaxes tobytes
    tolist transpose view
    [changes=0] fill partition put resize setfield setflags sort
    [changes=0 elsewhere] itemset
    [changes=?] byteswap
    [elsewhere] newbyteorder ptp tostring
    [into] all any argmax argmin choose clip compress cumprod cumsum dot max mean min prod round std sum take trace var
numpy.generic
    argsort astype conj conjugate copy diagonal flatten getfield item nonzero ravel repeat reshape searchsorted squeeze swapaxes tobytes tolist transpose
    view
    [changes=0] fill put resize setfield setflags sort
    [changes=0 elsewhere] itemset
    [changes=?] byteswap
    [elsewhere] newbyteorder ptp tostring
    [into] all any argmax argmin choose clip compress cumprod cumsum max mean min prod round std sum take trace var
numpy.integer
    is_integer
numpy.float16
    as_integer_ratio is_integer
numpy.float32
    as_integer_ratio is_integer
numpy.float64
    as_integer_ratio fromhex hex is_integer
numpy.longdouble
    as_integer_ratio is_integer
numpy.int8
    bit_count
numpy.int16
    bit_count
numpy.int32
    bit_count
numpy.int64
    bit_count
numpy.uint8
    bit_count
numpy.uint16
    bit_count
numpy.uint32
    bit_count
numpy.uint64
    bit_count
numpy.dtype
    newbyteorder
numpy.void
    getfield
    [changes=0] setfield
numpy.flatiter
    copy
numpy.poly1d
    deriv integ
numpy.matrix
    flatten getA getA1 getH getI getT ravel squeeze tolist
    [into] all any argmax argmin max mean min prod ptp std sum var
numpy.recarray
    field
numpy.linalg
    cond cross det diagonal eig eigh eigvals eigvalsh lstsq matmul matrix_norm matrix_power matrix_rank matrix_transpose norm outer pinv qr
    slogdet solve svd svdvals tensordot tensorinv tensorsolve trace vecdot vector_norm
    [alike] cholesky inv
    [into] multi_dot
numpy.fft
    [alike] fftshift ifftshift
    [grows] fftfreq rfftfreq
    [alike into] fft2 fftn ifft2 ifftn
    [alike into grows] fft ifft
    [into] irfft2 irfftn rfft2 rfftn
    [into grows] hfft ihfft irfft rfft
numpy.random
    default_rng
    [operand] Generator MT19937 PCG64 PCG64DXSM Philox RandomState SFC64 SeedSequence
numpy.random.Generator
    [changes=1 draws] shuffle
    [draws] beta binomial bytes chisquare choice dirichlet exponential f gamma geometric gumbel hypergeometric integers laplace logistic lognormal
    logseries multinomial multivariate_hypergeometric multivariate_normal negative_binomial noncentral_chisquare noncentral_f normal pareto permutation
    poisson power rayleigh spawn standard_cauchy standard_t triangular uniform vonmises wald weibull zipf
    [draws into] permuted random standard_exponential standard_gamma standard_normal
numpy.random.RandomState
    get_state
    [changes=0] seed set_state
    [changes=1 draws] shuffle
    [draws] beta binomial bytes chisquare choice dirichlet exponential f gamma geometric gumbel hypergeometric laplace logistic lognormal logseries
    multinomial multivariate_normal negative_binomial noncentral_chisquare noncentral_f normal pareto permutation poisson power rand randint randn random
    random_integers random_sample rayleigh standard_cauchy standard_exponential standard_gamma standard_normal standard_t tomaxint triangular uniform
    vonmises wald weibull zipf
numpy.lib.stride_tricks
    as_strided sliding_window_view
numpy.emath
    arccos arcsin arctanh log log10 log2 logn power sqrt
numpy.lib.array_utils
    byte_bounds normalize_axis_index normalize_axis_tuple
numpy.lib.recfunctions
    append_fields drop_fields find_duplicates flatten_descr get_fieldstructure get_names get_names_flat join_by merge_arrays rec_append_fields
    rec_drop_fields rec_join rename_fields repack_fields require_fields stack_arrays structured_to_unstructured unstructured_to_structured
    [changes=0] assign_fields_by_name
    [changes=1] recursive_fill_fields
numpy.lib._index_tricks_impl.AxisConcatenator
    __getitem__
numpy.lib._index_tricks_impl.IndexExpression
    __getitem__
numpy.lib._index_tricks_impl.nd_grid
    __getitem__
numpy.rec
    array find_duplicate format_parser fromarrays fromrecords fromstring
numpy.char
    array asarray capitalize center compare_chararrays count decode encode endswith equal expandtabs find greater greater_equal index join less less_equal
    ljust lower lstrip mod multiply not_equal partition replace rfind rindex rjust rpartition rsplit rstrip split splitlines startswith strip swapcase
    title translate upper zfill
    [elsewhere] slice
    [into] add isalnum isalpha isdecimal isdigit islower isnumeric isspace istitle isupper str_len
    [operand] chararray
numpy._core.defchararray
    array asarray capitalize center compare_chararrays count decode encode endswith equal expandtabs find greater greater_equal index join less less_equal
    ljust lower lstrip mod multiply not_equal partition replace rfind rindex rjust rpartition rsplit rstrip split splitlines startswith strip swapcase
    title translate upper zfill
    [elsewhere] slice
    [into] add isalnum isalpha isdecimal isdigit islower isnumeric isspace istitle isupper str_len
numpy.strings
    capitalize center count decode encode endswith expandtabs find index ljust lower lstrip mod partition replace rfind rindex rjust rpartition rstrip
    startswith strip swapcase title translate upper zfill
    [elsewhere] slice
    [grows] multiply
    [into] add equal greater greater_equal isalnum isalpha isdecimal isdigit islower isnumeric isspace istitle isupper less less_equal not_equal str_len
numpy.char.chararray
    capitalize center count encode endswith expandtabs find index isalnum isalpha isdecimal isdigit islower isnumeric isspace istitle isupper join ljust
    lower lstrip partition replace rfind rindex rjust rpartition rsplit rstrip split splitlines startswith strip swapcase title translate upper zfill
numpy.ma
    abs absolute add allclose allequal alltrue angle anom anomalies append arccos arccosh arcsin arcsinh arctan arctan2 arctanh argsort around array
    asanyarray asarray atleast_1d atleast_2d atleast_3d average bitwise_and bitwise_or bitwise_xor ceil clump_masked clump_unmasked column_stack
    common_fill_value compress_cols compress_nd compress_rowcols compress_rows compressed concatenate conjugate convolve copy corrcoef correlate cos cosh
    count count_masked cov default_fill_value diag diagflat diagonal diff divide dstack ediff1d empty_like equal exp fabs filled fix_invalid
    flatnotmasked_contiguous flatnotmasked_edges flatten_mask flatten_structured_array floor floor_divide fmod frombuffer fromflex getdata getmask
    getmaskarray greater greater_equal hsplit hstack hypot ids in1d indices inner innerproduct intersect1d isMA isMaskedArray is_mask is_masked isarray
    isin left_shift less less_equal log log10 log2 logical_and logical_not logical_or logical_xor make_mask make_mask_descr make_mask_none mask_cols
    mask_or mask_rowcols mask_rows masked_all_like masked_array masked_equal masked_greater masked_greater_equal masked_inside masked_invalid masked_less
    masked_less_equal masked_not_equal masked_object masked_outside masked_values masked_where maximum maximum_fill_value minimum minimum_fill_value mod
    multiply ndenumerate ndim negative nonzero not_equal notmasked_contiguous notmasked_edges ones_like outer outerproduct polyfit power ravel remainder
    repeat reshape resize right_shift row_stack setdiff1d setxor1d shape sin sinh size sometrue sort sqrt squeeze subtract swapaxes tan tanh transpose
    true_divide union1d unique vander vstack where zeros_like
    [calls] apply_along_axis apply_over_axes fromfunction
    [changes=0] harden_mask put putmask set_fill_value soften_mask
    [grows] arange empty identity masked_all ones zeros
    [into] all amax amin any argmax argmin choose clip compress cumprod cumsum dot max mean median min prod product ptp round round_ stack std sum take
    trace var
    [lists] expand_dims
    [operand] MaskedArray mvoid
numpy.ma.MaskedArray
    anom argpartition argsort compressed copy count diagonal filled flatten get_fill_value get_imag get_real ids iscontiguous nonzero ravel repeat reshape
    squeeze swapaxes tobytes toflex tolist torecords transpose view
    [changes=0] harden_mask partition put resize set_fill_value shrink_mask soften_mask sort unshare_mask
    [into] all any argmax argmin compress cumprod cumsum dot max mean min prod product ptp round std sum take trace var
numpy.ma.core.MaskedConstant
    copy
numpy.ma.mvoid
    filled tolist
numpy.ma.mrecords.MaskedRecords
    copy tolist view
    [changes=0] harden_mask soften_mask
numpy.polynomial
    [operand] Chebyshev Hermite HermiteE Laguerre Legendre Polynomial
numpy.polynomial._polybase.ABCPolyBase
    basis cast convert copy cutdeg degree deriv fit fromroots has_samecoef has_samedomain has_sametype has_samewindow identity integ linspace mapparms
    roots trim truncate
numpy.polynomial.polynomial
    polyadd polycompanion polyder polydiv polyfit polyfromroots polygrid2d polygrid3d polyint polyline polymul polymulx polypow polyroots polysub polytrim
    polyval polyval2d polyval3d polyvalfromroots polyvander polyvander2d polyvander3d
numpy.polynomial.chebyshev
    cheb2poly chebadd chebcompanion chebder chebdiv chebfit chebfromroots chebgauss chebgrid2d chebgrid3d chebint chebline chebmul chebmulx chebpow
    chebpts1 chebpts2 chebroots chebsub chebtrim chebval chebval2d chebval3d chebvander chebvander2d chebvander3d chebweight poly2cheb
numpy.polynomial.legendre
    leg2poly legadd legcompanion legder legdiv legfit legfromroots leggauss leggrid2d leggrid3d legint legline legmul legmulx legpow legroots legsub
    legtrim legval legval2d legval3d legvander legvander2d legvander3d legweight poly2leg
numpy.polynomial.hermite
    herm2poly hermadd hermcompanion hermder hermdiv hermfit hermfromroots hermgauss hermgrid2d hermgrid3d hermint hermline hermmul hermmulx hermpow
    hermroots hermsub hermtrim hermval hermval2d hermval3d hermvander hermvander2d hermvander3d hermweight poly2herm
numpy.polynomial.hermite_e
    herme2poly hermeadd hermecompanion hermeder hermediv hermefit hermefromroots hermegauss hermegrid2d hermegrid3d hermeint hermeline hermemul hermemulx
    hermepow hermeroots hermesub hermetrim hermeval hermeval2d hermeval3d hermevander hermevander2d hermevander3d hermeweight poly2herme
numpy.polynomial.laguerre
    lag2poly lagadd lagcompanion lagder lagdiv lagfit lagfromroots laggauss laggrid2d laggrid3d lagint lagline lagmul lagmulx lagpow lagroots lagsub
    lagtrim lagval lagval2d lagval3d lagvander lagvander2d lagvander3d lagweight poly2lag
numpy.polynomial.polyutils
    as_series format_float getdomain mapdomain mapparms trimcoef trimseq
numpy.ma.core
    [operand] MaskedConstant
numpy.ma.mrecords
    [operand] MaskedRecords
numpy.lib._index_tricks_impl
    [immutable] CClass IndexExpression MGridClass OGridClass RClass
"""
