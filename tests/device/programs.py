"""Programs of the IR on the emulated device: passes, code generation, the layer and the emulator, without the runtime above."""

from __future__ import annotations

from collections.abc import Callable

from soljit.base.settings import current
from soljit.ir.core.nodes import Program
from soljit.passes.manager import Context
from soljit.passes.pipeline import optimize
from soljit.runtime.build.toolchain import toolchain
from soljit.runtime.devices import emulated
from soljit.runtime.devices.device import Device
from soljit.runtime.store.cache import open_cache
from tests.codegen.harness import Compiled


class OnDevice(Compiled):
    """A program as the device runs it.

    one_block: with all loops that one block can run as such (True), with none (False), as sizes decide (None)
    cluster:   with as many blocks as can be for each such loop, or one alone
    change:    what becomes of the text of the kernels
    """

    def __init__(
        self,
        program: Program,
        gpu: Device,
        *,
        one_block: bool | None = None,
        cluster: bool = False,
        change: Callable[[str], str] | None = None,
    ) -> None:
        super().__init__(optimize(program, context(one_block, cluster)), device=gpu.services)
        assert self.source.kernels
        text = self.source.device_text if change is None else change(self.source.device_text)
        image = emulated.compile_kernels(text, "strict", toolchain(), open_cache(current()))
        gpu.provide(self.source.image, image.data)


def context(one_block: bool | None, cluster: bool = False) -> Context:
    """The passes' context for a device."""
    options = {"persist_loops": {"always": True, "least": 1 if cluster else None}} if one_block else {}
    without = frozenset({"persist_loops"}) if one_block is False else frozenset[str]()
    return Context(tail="device", options=options, disabled=without)
