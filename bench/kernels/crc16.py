"""CRC-16-CCITT of a block of bytes, bit by bit."""

import numpy as np

PRESETS = {
    "tiny": {"N": 50},
    "S": {"N": 1600},
    "M": {"N": 16000},
    "L": {"N": 160000},
    "paper": {"N": 1000000},
}
CHANGES = ()


def initialize(N):
    return {"data": np.random.default_rng(7).integers(0, 256, N, dtype=np.uint8)}


def crc16(data, poly=0x8408):
    crc = 0xFFFF
    for byte in data:
        crc ^= int(byte)
        for _ in range(8):
            if crc & 1:
                crc = (crc >> 1) ^ poly
            else:
                crc = crc >> 1
    crc = crc ^ 0xFFFF
    return ((crc & 0xFF) << 8) | (crc >> 8)
