"""Settings: environment variables, then `soljit.settings(...)`, then the keywords of `soljit.jit`; the later ones win.

A setting has one name everywhere: `fp="fast"` as a keyword, `settings(fp="fast")`, `SOL_FP=fast` in the environment.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from soljit.base.errors import ArgumentError
from soljit.base.machine import settled
from soljit.base.other_compilers import for_keyword

FP_MODES = ("strict", "contract", "fast")
OFFLOAD = ("auto", "always")
VECTORS = (0, 256, 512)
RESULTS = ("host", "device")
INTERPRETED = ("interpreter", "null")  # targets that need no compiler
TARGETS = ("openmp", "sequential", *INTERPRETED)  # those of soljit itself; installed packages may add some
SANITIZERS = ("address", "undefined", "thread")
PASSES = (  # those of passes/pipeline.py, whose names can be asked for here without loading the compiler
    "allocate_once", "batch_products", "cancel_transfers", "canonicalize", "check_arrays", "choose_functions", "choose_stores", "choose_values", "coarsen_threads", "collapse_maps",
    "compare_remainders", "compute_ahead", "contract_temporaries", "delay_loops", "drop_dead_transfers", "drop_host_copies", "drop_overflow_checks", "eliminate_dead_code",
    "expand_products", "forward_stores", "fuse_equal_maps", "fuse_maps", "gather_extremes", "gather_marks", "give_rows_to_blocks", "hoist_checks", "hoist_invariants",
    "hoist_transfers", "hold_sums", "inline_producers", "inline_selections", "interchange_maps", "interleave_loops", "jam_loops", "lay_out_arrays", "lift_checks", "mirror_maps",
    "move_loops_inward", "narrow_scalars", "order_sums", "parallelize_loops", "peel_ends", "persist_loops", "place_on_device", "prepare_loops", "privatize_sums", "promote_scalars",
    "push_reductions", "recognize_products", "resolve_refs", "schedule_maps", "share_maps", "share_reads", "share_scratch", "share_values", "sink_last_values", "skew_loops",
    "split_folds", "split_maps", "split_scans", "split_sums", "store_products", "stream_rows", "strip_maps", "tabulate_bits", "tabulate_functions", "tile_maps", "unbox_instances",
    "unbox_lists", "widen_triangles", "wrap_elements", "write_out_products",
)  # fmt: skip


class Settings(NamedTuple):
    """What a user can set.

    strict:     raise UnsupportedError instead of running the function in plain Python
    disable:    run every function in plain Python
    parallel:   may use threads
    fp:         "strict": NumPy's bits; "contract": may fuse multiply and add; "fast": what -ffast-math allows
    cache:      keep compiled code on disk
    target:     "openmp", "sequential", "interpreter", "null", or the name of an installed target; "" for the default
    device:     "cpu", "cuda" or "cuda:1" (a GPU by its number), "emulated": kernels run on the processor, for finding mistakes
    offload:    "auto": a call runs on the device where that is faster; "always": wherever it can
    results:    "host": array results are NumPy's; "device": they are `soljit.Array`s where a device is set
    cuda_driver: the library of CUDA's driver; "" for the system's
    cublas:     the library of cuBLAS; "" to search for one, "none" for products by kernels
    device_cache: percent of a device's memory that copies of arrays may take between calls; 0: none are kept
    tracker:    ask the kernel which pages of arrays were written between calls, so that unchanged ones are not copied again
    cxx:        the C++ compiler; "" to search for one
    vectors:    bits of the longest vectors that code may use, 256 or 512; 0: as the machine has them
    machine:    sizes of caches and costs other than those found, `l2=256K, parallel=0` say: fields of `base/machine.py`'s record
    cache_dir:  where compiled code is kept; "" for the default place
    debug:      0..5, how much to print about compilation
    dump:       name of a pass (or "all") after which to print the program, or "source" for the generated code
    check:      True: verify the program after every pass; "shadow": run each call undecorated, too, and compare (`docs/checking.md`)
    stop_after: stop the pipeline after this pass
    num_threads: threads of parallel kernels; 0 for all
    cache_size: MiB of compiled code that are kept; 0 for any number
    compiler_seconds: time limit of each run of the C++ compiler; 0 for none
    compile_limit: seconds of the processor, without the C++ compiler, after which compiling for a call is given up; 0: never
    wait_seconds: how much longer a call may wait for compiling than its function has cost in Python (`docs/runtime.md`); 0: until it is done
    progress:   write a line to the terminal when compiling takes more than two seconds
    schedule:   the recipe that a function is compiled by, a `schedule.recipe.Recipe`; None: passes choose. Of single functions only
    profile:    compiled code takes its times, as `soljit.profile()` has it; not to be set otherwise
    sanitize:   checks that the C++ compiler builds in, "address,undefined" or "thread"; for finding bugs of soljit
    """

    strict: bool = False
    disable: bool = False
    parallel: bool = True
    fp: str = "strict"
    cache: bool = True
    target: str = ""
    device: str = "cpu"
    cxx: str = ""
    vectors: int = 0
    cache_dir: str = ""
    debug: int = 0
    dump: str = ""
    check: bool | str = False
    stop_after: str = ""
    num_threads: int = 0
    cache_size: int = 1024
    compiler_seconds: int = 300
    sanitize: str = ""
    compile_limit: int = 20
    wait_seconds: int = 2
    progress: bool = True
    offload: str = "auto"
    cuda_driver: str = ""
    cublas: str = ""
    device_cache: int = 50
    tracker: bool = True
    results: str = "host"
    machine: str = ""
    schedule: object = None
    profile: bool = False

    @property
    def shadow(self) -> bool:
        """Is each call compared with the undecorated function?"""
        return self.check == "shadow"

    @property
    def verifies(self) -> bool:
        """Is the program verified after every pass?"""
        return self.check is True

    def compilation(self) -> tuple[object, ...]:
        """What of the settings the compiled code depends on."""
        device = () if self.device == "cpu" else (self.offload, self.cuda_driver, self.cublas)
        return (
            self.parallel,
            self.fp,
            self.target,
            self.device,
            self.stop_after,
            self.cxx,
            self.vectors,
            self.machine,
            self.sanitize,
            self.schedule,
            *device,
            *(("profile",) if self.profile else ()),
        )


DEFAULTS = Settings()
NAMES = tuple(n for n in Settings._fields if n not in ("schedule", "profile"))
KEYWORDS = ("device", "strict", "parallel", "fp", "cache", "target", "offload", "results", "schedule")  # of `jit`


def convert(name: str, value: object) -> Any:
    """`value` in the type of setting `name`; TypeError or ValueError tells what is allowed."""
    if name == "schedule":
        return value  # read when the function is known that it is for
    if name == "check":
        return _check(value)
    default = getattr(DEFAULTS, name)
    if isinstance(default, bool):
        if isinstance(value, (bool, int)) and value in (0, 1):
            return bool(value)
        raise TypeError(f"{name} is True or False, not {value!r}")
    if isinstance(default, int):
        if not isinstance(value, int) or value < 0:
            raise TypeError(f"{name} is a non-negative integer, not {value!r}")
        if name == "vectors" and value not in VECTORS:
            raise ValueError(f"vectors is 0, 256 or 512, not {value!r}")
        if value > _MOST[name]:
            raise ValueError(f"{name} is at most {_MOST[name]}, not {value!r}")
        return int(value)
    if not isinstance(value, (str, os.PathLike)):
        raise TypeError(f"{name} is a string, not {value!r}")
    text = os.fspath(value)
    if name == "fp" and text not in FP_MODES:
        raise ValueError(f"fp is one of {', '.join(map(repr, FP_MODES))}, not {text!r}")
    if name == "machine":
        return settled(text)
    if name == "target":
        _check_target(text)
    if name == "sanitize" and not ({*text.split(",")} <= {*SANITIZERS} or not text):
        raise ValueError(f"sanitize is made of {', '.join(SANITIZERS)}, not {text!r}")
    wanted = {"dump": ("all", "source", *PASSES), "stop_after": PASSES}.get(name)
    if wanted and text and text not in wanted:
        raise ValueError(f"{name} is the name of a pass, not {text!r}: one of {', '.join(wanted)}")
    if name == "offload" and text not in OFFLOAD:
        raise ValueError(f"offload is one of {', '.join(map(repr, OFFLOAD))}, not {text!r}")
    if name == "results" and text not in RESULTS:
        raise ValueError(f"results is one of {', '.join(map(repr, RESULTS))}, not {text!r}")
    return _device(text) if name == "device" else text


def _check(value: object) -> bool | str:
    """The setting `check`, from Python or as the text of a variable."""
    found = _BOOLEANS.get(value.lower(), value.lower()) if isinstance(value, str) else value
    if isinstance(found, int) and found in (0, 1):
        return bool(found)
    if isinstance(found, str) and found == "shadow":
        return found
    raise ValueError(f"check is 1, 0 or 'shadow', not {value!r}")


def _device(text: str) -> str:
    """The device under its shortest name. Whether it is there is asked when something is compiled for it."""
    if not re.fullmatch(r"cpu|emulated|cuda(:[0-9]{1,3})?", text):
        raise ValueError(f"device is 'cpu', 'cuda', 'cuda:1' (any number) or 'emulated', not {text!r}")
    kind, _, number = text.partition(":")
    return f"{kind}:{int(number)}" if int(number or 0) else kind


def _check_target(name: str) -> None:
    """ValueError if there is no such target; what an installed package adds is looked up, but not loaded."""
    if not name or name in TARGETS:
        return
    from importlib.metadata import entry_points

    added = [e.name for e in entry_points(group="soljit.targets")]
    if name not in added:
        raise ValueError(f"target is one of {', '.join(map(repr, (*TARGETS, *added)))}, not {name!r}")


def checked(values: Mapping[str, object], allowed: tuple[str, ...], where: str) -> dict[str, Any]:
    """Keywords in their types; an ArgumentError (a TypeError) names what is unknown and what there is."""
    unknown = [k for k in values if k not in allowed]
    if unknown:
        hints = [f"\nhint: {k}: {hint}" for k in unknown if (hint := for_keyword(k))]
        raise ArgumentError(f"{where} has no keyword {unknown[0]!r}; it takes {', '.join(allowed)}{''.join(hints)}")
    return {k: convert(k, v) for k, v in values.items() if v is not None}


def from_environment(environment: Mapping[str, str] = os.environ) -> dict[str, Any]:
    """Settings that `SOL_…` variables give; a value that does not fit is an error that names the variable."""
    found: dict[str, Any] = {}
    for name in NAMES:
        variable = "SOL_" + name.upper()
        text = environment.get(variable, "").strip()
        if not text:
            continue
        default = getattr(DEFAULTS, name)
        try:
            if isinstance(default, bool) and name != "check":
                found[name] = _BOOLEANS[text.lower()]
            else:
                is_number = isinstance(default, int) and name != "check"
                found[name] = convert(name, int(text) if is_number else text)
        except (KeyError, ValueError, TypeError) as e:
            reason = _reason(name, e)
            raise ValueError(f"environment variable {variable}={text!r} is not understood: {reason}") from e
    return found


def _reason(name: str, error: Exception) -> str:
    """What the value should be."""
    if str(error).startswith(f"{name} is"):
        return str(error)
    return f"{name} is 1 or 0" if isinstance(getattr(DEFAULTS, name), bool) else f"{name} is a non-negative integer"


_MOST = {
    "debug": 5,
    "num_threads": 2**31 - 1,
    "vectors": 512,
    "cache_size": 2**31 - 1,
    "compiler_seconds": 10**6,
    "compile_limit": 10**6,
    "wait_seconds": 10**6,
    "device_cache": 100,
}
_BOOLEANS = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}
_current = DEFAULTS._replace(**from_environment())
_has_devices = True  # not in a child of a process that used one
_listeners: list[Callable[[Settings], None]] = []


def current() -> Settings:
    """The settings of the process now, without the keywords of single functions."""
    return _current


def with_keywords(options: Mapping[str, Any]) -> Settings:  # any: the settings' types
    """The settings of a function that has these keywords."""
    chosen = _current._replace(**options)
    return chosen if _has_devices else chosen._replace(device="cpu")


def lose_devices() -> None:
    """From now on everything runs on the processor."""
    global _has_devices
    _has_devices = False
    _set(_current)


def take_times(on: bool) -> None:
    """Let functions be profiled from now on, or no longer."""
    _set(_current._replace(profile=on))


def on_change(listener: Callable[[Settings], None]) -> None:
    """Call `listener` with the new settings whenever they change."""
    _listeners.append(listener)


def _set(new: Settings) -> None:
    global _current
    _current = new
    for listener in _listeners:
        listener(new)


class settings:  # noqa: N801 (used like a function: `soljit.settings(strict=True)`)
    """Change settings of the process at once; as a context (`with settings(...)`), only for a while."""

    _before: Settings

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            strict: bool | None = ...,
            disable: bool | None = ...,
            parallel: bool | None = ...,
            fp: Literal["strict", "contract", "fast"] | None = ...,
            cache: bool | None = ...,
            target: Literal["", "openmp", "sequential", "interpreter", "null"] | None = ...,
            device: str | None = ...,
            cxx: str | os.PathLike[str] | None = ...,
            vectors: Literal[0, 256, 512] | None = ...,
            machine: str | None = ...,
            cache_dir: str | os.PathLike[str] | None = ...,
            debug: int | None = ...,
            dump: str | None = ...,
            check: bool | Literal["shadow"] | None = ...,
            stop_after: str | None = ...,
            num_threads: int | None = ...,
            sanitize: str | None = ...,
            cache_size: int | None = ...,
            compiler_seconds: int | None = ...,
            compile_limit: int | None = ...,
            wait_seconds: int | None = ...,
            progress: bool | None = ...,
            offload: Literal["auto", "always"] | None = ...,
            cuda_driver: str | os.PathLike[str] | None = ...,
            cublas: str | os.PathLike[str] | None = ...,
            device_cache: int | None = ...,
            tracker: bool | None = ...,
            results: Literal["host", "device"] | None = ...,
        ) -> None: ...
    else:

        def __init__(self, **values):
            self._before = _current
            _set(_current._replace(**checked(values, NAMES, "settings()")))

    def __enter__(self) -> Settings:
        return _current

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _set(self._before._replace(profile=_current.profile))

    def __repr__(self) -> str:
        changed = ", ".join(
            f"{n}={getattr(_current, n)!r}" for n in NAMES if getattr(_current, n) != getattr(DEFAULTS, n)
        )
        return f"settings({changed})"


def set_num_threads(n: int) -> None:
    """Threads of parallel kernels from now on; 0 for all cores."""
    settings(num_threads=n)
