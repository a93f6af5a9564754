"""NVRTC, NVIDIA's compiler of kernels as a library: text → what the driver loads. It needs no GPU and no driver.

It comes with `soljit[cuda13]` or `soljit[cuda12]`, with a CUDA toolkit, and with other packages for CUDA; cuda-pathfinder finds it. Kernels
include nothing but soljit's own headers: CUDA's would take a second and a half. The flags keep NumPy's meaning as those of the C++ compiler do
(`toolchain.py`): no contraction under "strict", IEEE division and root and subnormal numbers unless `fp` allows more. Comparisons of unsigned numbers
with zero (warning 186 of some versions) are in templates for all types.
"""

from __future__ import annotations

import functools
import os
import re
from typing import Any

from soljit.base.errors import InternalError, ToolchainError
from soljit.base.records import dataclass
from soljit.runtime.build.c_interface import FFI, interface
from soljit.runtime.build.toolchain import INCLUDE
from soljit.runtime.devices.images import Image, Resources

COMMON = (
    "--std=c++17",
    "-default-device",
    "--device-int128",
    "--ftz=false",
    "--ptxas-options=-v",
    "--diag-suppress=186",
)
FP_FLAGS = {
    "strict": ("--fmad=false", "--prec-div=true", "--prec-sqrt=true"),
    "contract": ("--fmad=true", "--prec-div=true", "--prec-sqrt=true"),
    "fast": ("--fmad=true", "--prec-div=false", "--prec-sqrt=false", "-DSOL_FAST"),
}
CURE = "pip install 'soljit[cuda13]' (or soljit[cuda12] for a driver older than 580)"
_COMPILATION_FAILED = 6  # NVRTC_ERROR_COMPILATION
_DECLARATIONS = """
typedef struct _nvrtcProgram* nvrtcProgram;
const char* nvrtcGetErrorString(int result);
int nvrtcVersion(int* major, int* minor);
int nvrtcGetNumSupportedArchs(int* count);
int nvrtcGetSupportedArchs(int* archs);
int nvrtcCreateProgram(nvrtcProgram* program, const char* text, const char* name, int headers, const char* const* texts, const char* const* names);
int nvrtcDestroyProgram(nvrtcProgram* program);
int nvrtcCompileProgram(nvrtcProgram program, int count, const char* const* options);
int nvrtcGetProgramLogSize(nvrtcProgram program, size_t* size);
int nvrtcGetProgramLog(nvrtcProgram program, char* log);
int nvrtcGetCUBINSize(nvrtcProgram program, size_t* size);
int nvrtcGetCUBIN(nvrtcProgram program, char* code);
int nvrtcGetPTXSize(nvrtcProgram program, size_t* size);
int nvrtcGetPTX(nvrtcProgram program, char* code);
"""


@dataclass(frozen=True)
class Nvrtc:
    """The library: its version, and for which compute capabilities (90 for 9.0) it makes code, ascending."""

    path: str
    ffi: FFI
    functions: Any  # any: cffi has no types
    version: tuple[int, int]
    archs: tuple[int, ...]

    def must(self, name: str, *args: Any) -> None:
        """Call a function that fails only if the library or the machine is at fault."""
        if result := getattr(self.functions, name)(*args):
            raise ToolchainError(f"{self.path} does not work: {name}: {self.words(result)}")

    def words(self, result: int) -> str:
        """What the library says of a result."""
        return str(self.ffi.string(self.functions.nvrtcGetErrorString(result)).decode())

    def content(self, name: str, program: Any) -> bytes:
        """The log, the CUBIN or the PTX of a program."""
        size = self.ffi.new("size_t*")
        self.must(f"nvrtcGet{name}Size", program, size)
        data = self.ffi.new("char[]", max(1, size[0]))
        self.must(f"nvrtcGet{name}", program, data)
        return bytes(self.ffi.buffer(data, size[0]))


def compile_kernels(text: str, arch: str, fp: str) -> Image:
    """Compile kernels for a GPU, "sm_90" say; ToolchainError if there is no NVRTC, or none for this GPU.

    For a GPU that is newer than this NVRTC the image is PTX, which the driver compiles; nothing is known of its resources then.
    """
    library = nvrtc()
    target = target_of(arch, library.archs, library.version)
    options = (f"--gpu-architecture={target}", f"-I{INCLUDE}", *COMMON, *FP_FLAGS[fp])
    ffi = library.ffi
    program = ffi.new("nvrtcProgram*")
    library.must("nvrtcCreateProgram", program, text.encode(), b"kernels.cu", 0, ffi.NULL, ffi.NULL)
    try:
        words = [ffi.new("char[]", os.fsencode(o)) for o in options]
        result = library.functions.nvrtcCompileProgram(program[0], len(words), ffi.new("char*[]", words))
        log = library.content("ProgramLog", program[0]).rstrip(b"\0").decode("utf-8", "replace")
        if result == _COMPILATION_FAILED:
            raise InternalError(
                f"NVRTC {_dotted(library.version)} refuses kernels that soljit made: please report this\n{log}"
            )
        if result:
            raise ToolchainError(f"{library.path} does not work: {library.words(result)}\n{log}".rstrip())
        return Image(library.content("CUBIN" if target.startswith("sm") else "PTX", program[0]), log, resources(log))
    finally:
        library.functions.nvrtcDestroyProgram(program)


def target_of(arch: str, archs: tuple[int, ...], version: tuple[int, int]) -> str:
    """What NVRTC compiles for this GPU: code for it, or PTX for the newest one before it that this NVRTC knows."""
    number = int(arch.removeprefix("sm_"))
    if number in archs:
        return arch
    older = [a for a in archs if a < number]
    if not older:
        raise ToolchainError(
            f"NVRTC {_dotted(version)} makes no code for a GPU as old as {arch}, only from sm_{min(archs)} on: an older NVRTC does, as soljit[cuda12] has it"
        )
    return f"compute_{max(older)}"


def why_not() -> str:
    """Why kernels cannot be compiled here; "" if they can."""
    try:
        nvrtc()
    except ToolchainError as e:
        return str(e)
    return ""


def nvrtc() -> Nvrtc:
    """The library; ToolchainError if it is not there or does not work."""
    found = _loaded()
    if isinstance(found, str):
        raise ToolchainError(found)
    return found


@functools.lru_cache(maxsize=1)
def _loaded() -> Nvrtc | str:
    """The library, or why there is none."""
    try:
        from cuda.pathfinder import DynamicLibNotFoundError, load_nvidia_dynamic_lib
    except ImportError:
        return f"kernels need NVRTC, and cuda-pathfinder to find it: {CURE}"
    try:
        path = load_nvidia_dynamic_lib("nvrtc").abs_path or "libnvrtc.so"
    except (DynamicLibNotFoundError, RuntimeError, OSError) as e:
        return f"kernels need NVRTC, which was not found: {CURE}\n{e}"
    ffi = interface(functions=_DECLARATIONS)
    try:
        library = Nvrtc(path, ffi, ffi.dlopen(path), (0, 0), ())
        numbers = ffi.new("int[2]")
        library.must("nvrtcVersion", numbers, numbers + 1)
        count = ffi.new("int*")
        library.must("nvrtcGetNumSupportedArchs", count)
        archs = ffi.new("int[]", max(1, count[0]))
        library.must("nvrtcGetSupportedArchs", archs)
    except (OSError, AttributeError, ToolchainError) as e:
        return f"NVRTC at {path} cannot be used: {e}"
    return Nvrtc(
        path, ffi, library.functions, (numbers[0], numbers[1]), tuple(sorted(archs[k] for k in range(count[0])))
    )


def _dotted(version: tuple[int, int]) -> str:
    return ".".join(map(str, version))


# --- what ptxas says ------------------------------------------------------------------------------------------------------

_KERNEL = re.compile(r"Compiling entry function '([^']+)'")
_NUMBERS = {
    "registers": re.compile(r"Used (\d+) registers"),
    "spill_stores": re.compile(r"(\d+) bytes spill stores"),
    "spill_loads": re.compile(r"(\d+) bytes spill loads"),
    "stack": re.compile(r"(\d+) bytes stack frame"),
    "shared": re.compile(r"(\d+) bytes smem"),
}


def resources(log: str) -> dict[str, Resources]:
    """What each kernel takes, from the lines of `ptxas -v`."""
    parts = _KERNEL.split(log)[1:]
    return {kernel: _resources(text) for kernel, text in zip(parts[::2], parts[1::2])}


def _resources(text: str) -> Resources:
    found = {key: pattern.search(text) for key, pattern in _NUMBERS.items()}
    return Resources(**{key: int(m[1]) for key, m in found.items() if m})
