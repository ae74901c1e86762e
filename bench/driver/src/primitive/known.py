#!/usr/bin/env python3
"""Prints known.txt: what hashlib and the package cryptography compute from the inputs of mod.rs."""

import hashlib
import hmac

from cryptography.hazmat.primitives.ciphers.aead import AESGCM, ChaCha20Poly1305


def pattern(first, length):
    """Bytes that count upwards."""
    return bytes((first + index) % 256 for index in range(length))


def message(length):
    """As `message` of mod.rs."""
    return bytes((index ^ (index >> 8)) & 255 for index in range(length))


def fnv(data):
    """FNV-1a in 64 bits."""
    digest = 0xCBF29CE484222325
    for byte in data:
        digest = ((digest ^ byte) * 0x100000001B3) % (1 << 64)
    return f"{digest:016x}"


def hkdf(name):
    """Extract, and expand to one digest (RFC 5869)."""
    key = hmac.new(pattern(0x55, 32), pattern(0x11, 32), name).digest()
    return hmac.new(key, pattern(0x77, 16) + b"\x01", name).digest()


KEY, NONCE, DATA = pattern(0x40, 32), pattern(0x90, 12), pattern(0x17, 13)
CIPHERS = {"aes128-gcm": AESGCM(KEY[:16]), "aes256-gcm": AESGCM(KEY),
           "chacha20": ChaCha20Poly1305(KEY)}
SIZES = {"16B": 16, "64B": 64, "256B": 256, "1KiB": 1024, "8KiB": 8192, "16KiB": 16384}

for size, length in SIZES.items():
    for cipher, aead in CIPHERS.items():
        sealed = aead.encrypt(NONCE, message(length), DATA)
        print(f"primitive/aead/{cipher}/seal/{size} {fnv(sealed)}")
        print(f"primitive/aead/{cipher}/seal/{size}/no-tag {fnv(sealed[:length])}")
    for function in ("sha256", "sha384", "sha512"):
        digest = hashlib.new(function, message(length)).digest()
        print(f"primitive/hash/{function}/{size} {fnv(digest)}")
for function in ("sha256", "sha384", "sha512"):
    print(f"primitive/hkdf/{function} {fnv(hkdf(function))}")
