"""Every gate of a library leaves it, since one that its map forgets is met by nobody, and no linker says so.

usage: exports_test.py READELF LIBRARY OBJECT..., with the objects that the library is made of.
"""

import re
import subprocess
import sys

OURS = re.compile("_ZNK?8tidemark")


def functions(readelf, file, *options):
    """The names of those that a file defines for others, where they are visible."""
    rows = subprocess.run([readelf, "--wide", *options, file], capture_output=True, text=True, check=True).stdout.splitlines()
    for row in rows:
        fields = row.split()
        if len(fields) == 8 and fields[3:6] == ["FUNC", "GLOBAL", "DEFAULT"] and fields[6] != "UND":
            yield fields[7].partition("@")[0]


def main():
    readelf, library, *objects = sys.argv[1:]
    gates = {name for file in objects for name in functions(readelf, file, "--symbols") if not OURS.match(name)}
    kept = sorted(gates - set(functions(readelf, library, "--dyn-syms")))
    if kept or not gates:
        sys.exit(f"{library} keeps these gates to itself; its exports.map is to name them: {', '.join(kept) or 'all'}")


main()
