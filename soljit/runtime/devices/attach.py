"""Give a compiled variant the device that its kernels run on: find it, have the kernels compiled for it, hand it their image."""

from __future__ import annotations

from soljit.base.settings import Settings
from soljit.runtime import toolchain
from soljit.runtime.cache import Cache
from soljit.runtime.devices import emulated, images
from soljit.runtime.devices.device import Device, find_device
from soljit.runtime.variant import Variant


def attach(v: Variant, cache: Cache, settings: Settings) -> None:
    """Make variant `v`, which has kernels, ready to run. DeviceError without a device, ToolchainError without a compiler of kernels."""
    device = find_device(settings.device, settings)
    text = cache.text(dict(v.record.texts)["cu"])
    if not text:
        raise OSError(f"the kernels of {v.record.name} are not in the cache any more")
    made = images.image(
        cache, images.image_id(text, settings.fp), text, device.arch, settings.fp, _compiler(cache, settings, device)
    )
    device.provide(int(v.record.image, 16), made.data)
    v.device, v.resources = device.services, made.resources


def _compiler(cache: Cache, settings: Settings, device: Device) -> images.Compile | None:
    """What compiles kernels for the emulated device; None for NVRTC."""
    if device.arch != "emulated":
        return None

    def compile_kernels(text: str, arch: str, fp: str) -> images.Image:
        tools = toolchain.toolchain(settings.cxx, cache, settings.compiler_seconds)
        return emulated.compile_kernels(text, fp, tools, cache, settings.compiler_seconds)

    return compile_kernels
