"""A decorated function under `check="shadow"`: each call from Python runs undecorated on copies of its arguments, then compiled.

While the undecorated function runs, the decorated functions that it calls are plain Python, too. Nothing but the state of generators of
random numbers is put back in between: what a function prints, writes or stores elsewhere happens twice.
"""

from __future__ import annotations

import atexit
import sys
import threading
import time
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from soljit.base.errors import InternalError, SoljitError
from soljit.base.settings import current
from soljit.runtime.shadow.attributes import is_fresh, type_name
from soljit.runtime.shadow.copies import NotCopied, copied
from soljit.runtime.shadow.differences import Comparison, Pairs, exception_difference, worst
from soljit.runtime.shadow.randomness import kept
from soljit.runtime.shadow.report import Row, report, row_of
from soljit.runtime.variants.failures import without_ours


class _Thread(threading.local):
    plain = False  # do decorated functions run in plain Python now?
    compiled = 0  # calls of functions that have compiled code
    spent = 0.0  # seconds of checks in this thread, which count in no time of a compiled call


_thread = _Thread()


def shadowed(
    plain: types.FunctionType, compiled: Callable[..., Any], is_compiled: Callable[[], bool]
) -> Callable[..., Any]:  # any: the user's values
    """What calls both and compares. is_compiled: is there a variant of the function now?"""
    row = row_of(plain)

    def call(*args: Any, **kwargs: Any) -> Any:
        if _thread.plain:
            return plain(*args, **kwargs)
        check = _begin(row, plain, args, kwargs)
        if check is None:
            _thread.compiled += row.is_compiled or is_compiled()
            return compiled(*args, **kwargs)
        check.start()
        try:
            result = compiled(*args, **kwargs)
        except BaseException as e:
            check.end(None, e, is_compiled)
            if not current().debug:
                e.__traceback__ = without_ours(e)
            raise
        check.end(result, None, is_compiled)
        return result

    return call


def _kind(x: object) -> object:
    return (x.dtype, x.ndim) if type(x) is np.ndarray else type(x)


def _begin(row: Row, plain: types.FunctionType, args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Check | None:
    """The undecorated call; None if this call is not checked."""
    if not row.begin((*map(_kind, args), *((k, _kind(x)) for k, x in kwargs.items()))):
        return None
    began = time.perf_counter()
    _thread.plain = True  # `__deepcopy__` may be decorated
    try:
        return _Check(row, plain, args, kwargs, began)
    except NotCopied as e:
        row.skip(f"an argument has no copy: {e}", time.perf_counter() - began)
    except Exception as e:  # an object that does not like to be looked at
        row.skip(f"{type(e).__name__} while copying: {str(e):.80}", time.perf_counter() - began)
    finally:
        _thread.plain = False
        _thread.spent += time.perf_counter() - began
    return None


class _Check:
    """One call: made by running the undecorated function, `end` compares."""

    def __init__(
        self, row: Row, plain: types.FunctionType, args: tuple[Any, ...], kwargs: dict[str, Any], began: float
    ) -> None:
        self.row, self.code, self.given = row, plain.__code__, (args, kwargs)
        self.types = ", ".join([*map(_type, args), *(f"{k}={_type(x)}" for k, x in kwargs.items())])
        fresh = args[0] if args and is_fresh(args[0], plain) else None
        self.copy, self.scale = copied((args, kwargs), fresh)
        self.pairs = Pairs()
        unlike = next(self._arguments(Comparison(self.pairs, before=True)), None)
        if unlike is not None:
            raise NotCopied(f"a copy of {unlike.where} is not like it ({unlike.kind}: {unlike.text:.60})")
        put_back = kept(plain)
        self.result, self.error = None, None
        start = time.perf_counter()
        try:
            self.result = plain(*self.copy[0], **self.copy[1])
        except KeyboardInterrupt:
            raise
        except BaseException as e:
            self.error = e.with_traceback(None)  # its frames hold the copies
        finally:
            self.seconds = time.perf_counter() - start
            put_back()
        self.spent = time.perf_counter() - began

    def _arguments(self, compare: Comparison) -> Any:  # the differences of all arguments
        (copies, named_copies), (args, kwargs) = self.copy, self.given
        names = self.code.co_varnames[: self.code.co_argcount]
        for k, (x, y) in enumerate(zip(copies, args)):
            yield from compare(x, y, f"argument {names[k] if k < len(names) else k + 1}")
        for name, y in kwargs.items():
            yield from compare(named_copies[name], y, f"argument {name}")

    def start(self) -> None:
        """The compiled call begins."""
        self.before, self.began = (_thread.spent, _thread.compiled), time.perf_counter()

    def end(self, result: Any, error: BaseException | None, is_compiled: Callable[[], bool]) -> None:
        """Compare with what the compiled call did. Checks of calls in it are no part of its time."""
        began = time.perf_counter()
        seconds = began - self.began - (_thread.spent - self.before[0])
        _thread.plain = True
        try:
            self._end(result, error, seconds, is_compiled())
        except Exception as e:  # likewise
            self.row.skip(f"{type(e).__name__} while comparing: {str(e):.80}", time.perf_counter() - began)
        finally:
            _thread.plain = False
            _thread.spent += time.perf_counter() - began

    def _end(self, result: Any, error: BaseException | None, seconds: float, is_compiled: bool) -> None:
        began = time.perf_counter()
        self.row.is_compiled |= is_compiled
        if isinstance(error, SoljitError) and not isinstance(error, InternalError):  # as strict settings want it
            self.row.skip(f"refused: {str(error).splitlines()[0]:.80}", self.spent)
            return
        difference = exception_difference(self.error, error)
        compare = Comparison(self.pairs, scale=self.scale)
        if difference is None:
            found = [compare(self.result, result, "result"), self._arguments(compare)]
            difference = worst(d for part in found for d in part)
        for name in sorted(compare.opaque):
            self.row.note(f"{name} objects were not looked into")
        self.row.end(
            self.spent + time.perf_counter() - began, (self.seconds, seconds) if self.error is error is None else None
        )
        if difference is not None:
            if not is_compiled and _thread.compiled == self.before[1]:
                text = f"{difference.kind} differ, though both ran in plain Python: {difference.text}"
                difference = difference._replace(kind="not the same twice", text=text)
            self.row.add(difference, self.types, _caller())
        _thread.compiled += is_compiled


def _type(x: object) -> str:
    """The type of an argument in few words."""
    if isinstance(x, np.ndarray):
        return f"{x.dtype}[{', '.join(map(str, x.shape))}]" if type(x) is np.ndarray else type_name(type(x))
    if isinstance(x, (list, tuple, dict, set)):
        return f"{type_name(type(x))} of {len(x)}" if type(x).__module__ == "builtins" else type_name(type(x))
    return type_name(type(x))


def _caller() -> str:
    """File and line of the nearest frame that is not soljit's."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "soljit":
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


def _tell() -> None:
    """At the end of the process."""
    told = report()
    if told.functions and sys.stderr is not None:
        print(told, file=sys.stderr)


atexit.register(_tell)
