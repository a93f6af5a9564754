"""A library in the place of CUDA's driver that says what a test wants of versions, numbers of devices, and reasons why there is none."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from soljit.runtime.devices.layer import FOLDER
from soljit.runtime.system.find_compiler import find_compiler

# A driver in which everything succeeds but what is written here.
STAND_IN = """
#include <stddef.h>
extern "C" int cuInit(unsigned) { return INIT; }
extern "C" int cuDriverGetVersion(int* v) { return *v = VERSION, 0; }
extern "C" int cuDeviceGetCount(int* n) { return *n = COUNT, 0; }
extern "C" int cuGetErrorName(int, const char** s) { return *s = "CUDA_ERROR_NO_DEVICE", 0; }
extern "C" int cuGetErrorString(int, const char** s) { return *s = "no CUDA-capable device is detected", 0; }
extern "C" int cuDeviceGetName(char* s, int, int) { return s[0] = 'G', s[1] = 0, 0; }
extern "C" int cuDeviceGetAttribute(int* v, int k, int) { return *v = k == 75 ? 12 : k == 76 ? 1 : 64, 0; }
extern "C" int cuDeviceTotalMem_v2(size_t* n, int) { return *n = 123456, 0; }
"""
WRITTEN = ("cuInit", "cuDriverGetVersion", "cuDeviceGetCount", "cuGetErrorName", "cuGetErrorString", "cuDeviceGetName",
           "cuDeviceGetAttribute", "cuDeviceTotalMem_v2")  # fmt: skip


def stand_in(folder: Path, **values: int) -> str:
    """The path of such a driver."""
    header = Path(FOLDER, "driver.h").read_text()
    symbols = sorted(set(re.findall(r'"(cu\w+)"', header)) - set(WRITTEN))
    text = STAND_IN + "".join(f'extern "C" int {s}() {{ return 0; }}\n' for s in symbols)
    source = folder / "driver.cpp"
    source.write_text(text)
    path = folder / ("-".join(f"{n}{v}" for n, v in values.items()) + ".so")
    defines = [f"-D{n}={v}" for n, v in values.items()]
    subprocess.run([find_compiler("") or "", "-shared", "-fPIC", *defines, source, "-o", path], check=True)
    return str(path)
