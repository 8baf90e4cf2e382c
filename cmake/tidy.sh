#!/usr/bin/env bash
# usage: tidy.sh BUILD_FOLDER [FILE...]   clang-tidy over what was compiled there of ours; with files, over the batches that hold them.
# Use the folder of a preset without LibTorch: with LibTorch's headers a file takes half a minute.
set -euo pipefail
root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
build=$1
mkdir -p "$build/tidy"
# The commands again, without the precompiled headers: clang cannot read GCC's. A file of a command is a batch of sources of one
# target (CMAKE_UNITY_BUILD), so the headers that they share are read and looked at once; that it includes sources is its purpose.
python3 - "$root" "$@" << 'END_OF_PYTHON' | xargs -0 --no-run-if-empty -n 1 -P "$(nproc)" clang-tidy-14 -p "$build/tidy" --quiet --extra-arg=-Wno-unknown-warning-option --checks=-bugprone-suspicious-include
import json, pathlib, re, sys
root, build, *wanted = (pathlib.Path(path).resolve() for path in sys.argv[1:])
commands = json.load(open(build / "compile_commands.json"))
for command in commands:
    command["command"] = re.sub(r"-include \S*cmake_pch\.hxx", "", command["command"])
json.dump(commands, open(build / "tidy/compile_commands.json", "w"))
ours = tuple(f"{folder}/{part}/" for folder in (root, build) for part in ("app", "profiler"))
for file in sorted({command["file"] for command in commands}):
    text = open(file).read() if file.endswith(".cxx") else ""
    if file.startswith(ours) and "cmake_pch" not in file and (not wanted or any(f'"{path}"' in text or str(path) == file for path in wanted)):
        sys.stdout.write(f"{file}\0")
END_OF_PYTHON
