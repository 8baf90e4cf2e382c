#!/usr/bin/env bash
# usage: tidy.sh BUILD_FOLDER   clang-tidy over every file of ours that was compiled there. Use the folder of a preset without LibTorch: with
# LibTorch's headers a file takes half a minute.
set -euo pipefail
root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
build=$1
python3 - "$build/compile_commands.json" "$root" << 'END' | xargs -0 -n 1 -P "$(nproc)" clang-tidy-14 -p "$build" --quiet --extra-arg=-Wno-unknown-warning-option
import json, sys
folders = tuple(f"{sys.argv[2]}/{folder}/" for folder in ("app", "profiler"))
files = {command["file"] for command in json.load(open(sys.argv[1]))}
sys.stdout.write("".join(f"{file}\0" for file in sorted(files) if file.startswith(folders)))
END
