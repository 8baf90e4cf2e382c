#!/usr/bin/env bash
# usage: tidy.sh BUILD_FOLDER   clang-tidy over every file of ours that was compiled there. Use the folder of a preset without
# LibTorch: with LibTorch's headers a file takes half a minute.
set -euo pipefail
root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
build=$1
mkdir -p "$build/tidy"
# The commands again, without the precompiled headers: clang cannot read GCC's.
python3 - "$build" "$root" << 'END' | xargs -0 -n 1 -P "$(nproc)" clang-tidy-14 -p "$build/tidy" --quiet --extra-arg=-Wno-unknown-warning-option
import json, re, sys
build, root = sys.argv[1:]
commands = json.load(open(f"{build}/compile_commands.json"))
for command in commands:
    command["command"] = re.sub(r"-include \S*cmake_pch\.hxx", "", command["command"])
json.dump(commands, open(f"{build}/tidy/compile_commands.json", "w"))
folders = tuple(f"{root}/{folder}/" for folder in ("app", "profiler"))
files = {command["file"] for command in commands}
sys.stdout.write("".join(f"{file}\0" for file in sorted(files) if file.startswith(folders)))
END
