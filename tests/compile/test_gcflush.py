"""The check of the collector's entry, on hand-made SASS."""

from __future__ import annotations

import struct

import pytest

from porter.compile.cubin_checks import callee_saved, check_stores
from porter.compile.object_files import FrameStore, decode_stores, parse_listing
from porter.errors import VerifyFailed


def good() -> dict[int, int]:
    registers = sorted(callee_saved() - {2})
    return {2: 4, **{register: 8 + 4 * i for i, register in enumerate(registers)}}


def stores(slots: dict[int, int]) -> tuple[FrameStore, ...]:
    return tuple(FrameStore(register, offset) for register, offset in slots.items())


def test_all_saved_passes() -> None:
    assert len(callee_saved()) == 126
    check_stores(stores(good()))


def test_a_register_that_is_not_saved_fails() -> None:
    slots = good()
    del slots[23]
    with pytest.raises(VerifyFailed, match="R23"):
        check_stores(stores(slots))


def test_a_register_across_two_words_fails() -> None:
    slots = {register: offset + 2 for register, offset in good().items()}
    with pytest.raises(VerifyFailed, match="two aligned words"):
        check_stores(stores(slots))


def test_decoder() -> None:
    # As nvdisasm 12.8 shows them: STL [R1+0x1f8], R252; LDL R2, [R1+0x4]; STL.64 [R1+0x10], R18.
    words = [
        (0x0001F8FC01007387, 4 << 9),
        (0x0000040001027983, 4 << 9),
        (0x0000101201007387, 5 << 9),
    ]
    code = b"".join(struct.pack("<QQ", *pair) for pair in words)
    assert decode_stores(code) == (
        FrameStore(252, 0x1F8),
        FrameStore(18, 0x10),
        FrameStore(19, 0x14),
    )


def test_listing_of_the_named_function_only() -> None:
    listing = (
        '\t.section\t.text.other,"ax",@progbits\n  STL [R1], R7 ;\n'
        '\t.section\t.text.porter_gc_flush,"ax",@progbits\n'
        '\t.sectioninfo\t@"SHI_REGISTERS=64"\n'
        "  /*0010*/  STL [R1+0x1f8], R252 ;\n  STL.64 [R1+0x8], R16 ;\n"
    )
    assert parse_listing(listing, "porter_gc_flush") == (
        FrameStore(252, 0x1F8),
        FrameStore(16, 8),
        FrameStore(17, 12),
    )


def test_a_cap_on_registers_needs_fewer_stored() -> None:
    slots = good()
    kept = {register: offset for register, offset in slots.items() if register < 62}
    check_stores(stores(kept), 64)
    with pytest.raises(VerifyFailed, match="R61"):
        check_stores(stores({r: at for r, at in kept.items() if r != 61}), 64)
