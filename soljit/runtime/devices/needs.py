"""What a variant needs of a device, asked without loading anything of devices for those that need nothing."""

from __future__ import annotations

from soljit.base.settings import Settings
from soljit.runtime.store.cache import Cache
from soljit.runtime.variants.variant import Record, Variant


def attached(v: Variant, cache: Cache, settings: Settings) -> Variant:
    """The variant, with the device that it uses, if it uses any."""
    if v.record.image or v.record.device_libraries:
        from soljit.runtime.devices.attach import attach

        attach(v, cache, settings)
    return v


def has_features(record: Record, settings: Settings) -> bool:
    """Tell whether the device has the features that this was compiled for, and no other one that would have mattered."""
    if not record.features:
        return True
    from soljit.runtime.devices.cublas import why_without

    return all(present == (not why_without(settings, name)) for name, present in record.features)
