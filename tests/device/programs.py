"""Programs of the IR on the emulated device: passes, code generation, the layer and the emulator, without the runtime above."""

from __future__ import annotations

from soljit.base.settings import current
from soljit.ir.nodes import Program
from soljit.passes.manager import Context
from soljit.passes.pipeline import optimize
from soljit.runtime.cache import open_cache
from soljit.runtime.devices import emulated
from soljit.runtime.devices.device import Device
from soljit.runtime.toolchain import toolchain
from tests.codegen.harness import Compiled


class OnDevice(Compiled):
    """A program as the device runs it."""

    def __init__(self, program: Program, gpu: Device) -> None:
        super().__init__(optimize(program, Context(tail="device")), device=gpu.services)
        assert self.source.kernels
        image = emulated.compile_kernels(self.source.device_text, "strict", toolchain(), open_cache(current()))
        gpu.provide(self.source.image, image.data)
