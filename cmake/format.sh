#!/usr/bin/env bash
# usage: format.sh [--check]   Formats every C++ file of ours; with --check, only says which differ, and fails if any does.
set -euo pipefail
cd "$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")"
mode=(-i)
[[ ${1:-} != --check ]] || mode=(--dry-run -Werror)
find app profiler tests '(' -name '*.h' -o -name '*.cpp' -o -name '*.inc' ')' -print0 | xargs -0 -n 20 -P "$(nproc)" clang-format-14 "${mode[@]}"
