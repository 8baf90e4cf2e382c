#!/usr/bin/env bash
# usage: tidy.sh BUILD_FOLDER [FILE...]   clang-tidy over what was compiled there of ours; with files, over the batches that hold them.
# Use the folder of a preset without LibTorch: with LibTorch's headers a file takes half a minute. What it found nothing in is
# remembered, in any checkout, by all that it reads: it is looked at again once a byte of that is another.
set -euo pipefail
root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
build=$1
clean=${XDG_CACHE_HOME:-$HOME/.cache}/tidemark/tidy
mkdir -p "$build/tidy" "$clean"
find "$clean" -type f -mtime +30 -delete
ninja -C "$build" -t deps > "$build/tidy/deps"
look() { clang-tidy-14 -p "$1/tidy" --quiet --extra-arg=-Wno-unknown-warning-option --checks=-bugprone-suspicious-include "$3" && touch "$2"; }
export -f look
# The commands again, without the precompiled headers: clang cannot read GCC's. A file of a command is a batch of sources of one
# target (CMAKE_UNITY_BUILD), so the headers that they share are read and looked at once; that it includes sources is its purpose.
python3 - "$root" "$clean" "$@" << 'END_OF_PYTHON' | xargs -0 --no-run-if-empty -n 2 -P "$(nproc)" bash -c 'look "$0" "$1" "$2"' "$build"
import functools, hashlib, json, pathlib, re, subprocess, sys
root, clean, build, *wanted = (pathlib.Path(path).resolve() for path in sys.argv[1:])


@functools.cache
def content(path):
    """Nothing, where a header was deleted since the build: what it was read for is looked at again."""
    if not path.exists():
        return b""
    return hashlib.sha256(path.read_bytes().replace(str(root).encode(), b"")).digest()


def read_for(name, own, command):
    """What the finding depends on: tool, checks, how it is called here, command, and each file that is read."""
    sum = hashlib.sha256(tool + command.replace(str(root), "").encode())
    for path in (root / ".clang-tidy", root / "cmake/tidy.sh", pathlib.Path(name), *own):
        sum.update(content(path))
    return sum.hexdigest()


tool = subprocess.run(["clang-tidy-14", "--version"], capture_output=True, check=True).stdout
reads, object_file = {}, ""
for line in open(build / "tidy/deps"):
    if line.startswith("    "):
        reads[object_file].append(build / line.strip())
    elif ": #deps" in line:
        object_file = line.partition(": #deps")[0]
        reads[object_file] = []
commands = json.load(open(build / "compile_commands.json"))
for command in commands:
    command["command"] = re.sub(r"-include \S*cmake_pch\.hxx", "", command["command"])
json.dump(commands, open(build / "tidy/compile_commands.json", "w"))
ours = tuple(f"{folder}/{part}/" for folder in (root, build) for part in ("app", "profiler"))
for command in sorted(commands, key=lambda command: command["file"]):
    file = command["file"]
    text = open(file).read() if file.endswith(".cxx") else ""
    if not file.startswith(ours) or "cmake_pch" in file or (wanted and not any(f'"{path}"' in text or str(path) == file for path in wanted)):
        continue
    object_file = re.search(r" -o (\S+)", command["command"])[1]
    mark = clean / read_for(file, reads.get(object_file, ()), command["command"])
    are_known = object_file in reads and all(map(content, reads[object_file]))
    if wanted or not are_known or not mark.exists():
        sys.stdout.write(f"{mark}\0{file}\0")
END_OF_PYTHON
