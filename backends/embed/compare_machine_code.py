#!/usr/bin/env python3
"""Compares the machine code of two checkouts' kernels, kernel by kernel.

    bifold-embed --images FOLDER CACHE 90  # in the build of each checkout (target bifold-embed)
    compare_machine_code.py BEFORE AFTER

Compared are the instructions, constants, registers and local memory of every kernel, not the names
of symbols and files. Prints each kernel that differs. Exit status: 0 all are the same, 1 some
differ or only one folder has them, 2 wrong usage.
"""
import pathlib
import struct
import sys


def sections(image):
    """Name, type, flags, info, size and bytes of each section of a 64-bit ELF image."""
    offset, = struct.unpack_from("<Q", image, 0x28)
    each, count, names = struct.unpack_from("<HHH", image, 0x3A)
    heads = [struct.unpack_from("<IIQQQQIIQQ", image, offset + i * each) for i in range(count)]
    text = heads[names][4]
    for name, kind, flags, _, at, size, _, info, _, _ in heads:
        end = image.index(b"\0", text + name)
        nobits = kind == 8
        yield (image[text + name:end].decode(), kind, flags, info, size,
               b"" if nobits else image[at:at + size])


def code(path):
    """What of an image decides about how its kernel runs."""
    wanted = (".text.", ".nv.constant", ".nv.shared.", ".nv.global", ".nv.info.")
    return {(name, flags, info >> 24, size, data)
            for name, _, flags, info, size, data in sections(path.read_bytes())
            if name.startswith(wanted)}


def main(arguments):
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    before, after = ({path.name: path for path in sorted(pathlib.Path(folder).glob("*.cubin"))}
                     for folder in arguments)
    faults = 0
    for name in sorted(before.keys() | after.keys()):
        if name not in before or name not in after:
            print(f"{name}: only in {arguments[0 if name in before else 1]}")
            faults += 1
            continue
        old, new = code(before[name]), code(after[name])
        if old != new:
            differing = sorted({section[0] for section in old ^ new})
            print(f"{name}: {', '.join(differing)}")
            faults += 1
    print(f"{len(before)} kernels before, {len(after)} after, {faults} differ")
    return 1 if faults or not before else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
