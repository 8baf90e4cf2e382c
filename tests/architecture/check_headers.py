"""Holds that no CUDA or Torch header of the machine was reached, only the pinned ones: usage: check_headers.py NINJA BUILD ROOT...

A machine with a toolkit would else hide that the build needs one. Read is what the compiler itself noted for each object.
"""

import pathlib
import re
import subprocess
import sys

FOREIGN = re.compile(r"/(?:(?:cuda|cublas|cudnn|cufft|cupti|curand|cusolver|cusparse|nccl|nvml|nvrtc|nvToolsExt)[^/]*\.hp?p?|"
                     r"nv/target|(?:torch|ATen|c10)/.*\.h)$")


def foreign_headers(noted, roots):
    """Of the lines that ninja prints, the headers that look like CUDA's or Torch's and lie in none of the roots."""
    headers = {line.strip() for line in noted.splitlines() if line.startswith("    /")}
    return sorted(header for header in headers
                  if FOREIGN.search(header) and not any(header.startswith(f"{root}/") for root in roots))


def main():
    ninja, build, *roots = sys.argv[1:]
    noted = subprocess.run([ninja, "-C", build, "-t", "deps"], check=True, capture_output=True, text=True).stdout
    found = foreign_headers(noted, [pathlib.PurePath(root) for root in roots])
    for header in found:
        print(f"{header}   (a header of this machine; add its package to cmake/archives.ini, or do without it)")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
