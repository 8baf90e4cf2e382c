#!/usr/bin/env bash
# usage: build.sh PRESET TARGET...   Configures where needed and builds; silent when there is nothing to do.
set -euo pipefail
root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
preset=$1
shift
build=$root/build
[[ $preset == release ]] || build=$root/build/$preset

# A folder that was configured elsewhere (a copied or moved checkout) is configured anew; nothing in it fits.
fresh=()
if [[ -f $build/CMakeCache.txt ]] && ! grep --quiet --line-regexp --fixed-strings "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$build/CMakeCache.txt"; then
  fresh=(--fresh)
fi
if [[ ! -f $build/build.ninja || -n ${fresh[*]} ]]; then
  mkdir -p "$build"
  echo "Configuring (preset $preset)..."
  if ! (cd "$root" && cmake --preset "$preset" "${fresh[@]}" > "$build/configure.log" 2>&1); then
    tail -n 40 "$build/configure.log" >&2
    echo "Configuring failed; all of it is in $build/configure.log" >&2
    rm -f "$build/build.ninja"
    exit 1
  fi
fi

# A compiler over Torch's headers takes 1.5 GB: as many at a time as there are cores and memory for.
memory_kib=$(awk '/^MemAvailable/ {print $2}' /proc/meminfo)
jobs=$(nproc)
by_memory=$((memory_kib / 1572864))
[[ $by_memory -ge $jobs ]] || jobs=$((by_memory > 1 ? by_memory : 1))

# Says nothing while there is nothing to say; then progress, on one line of a terminal, on lines of their own elsewhere.
show() {
  local line building='' width=0
  [[ ! -t 1 ]] || width=$(tput cols 2> /dev/null || echo 100)
  while IFS= read -r line; do
    case $line in
      "ninja: Entering directory"* | "ninja: no work to do."* | *"] Re-checking globbed directories..."*) continue ;;
    esac
    if [[ -z $building ]]; then
      echo "Building with $jobs jobs; the first time takes some minutes..."
      building=yes
    fi
    if [[ $width == 0 ]]; then
      printf '%s\n' "$line"
    elif [[ $line == \[[0-9]* ]]; then
      printf '\r\033[K%s' "${line:0:width-1}"
    else
      printf '\r\033[K%s\n' "$line"
    fi
  done
  [[ $width == 0 || -z $building ]] || printf '\r\033[K'
}

if ! NINJA_STATUS="[%f/%t, %es] " ninja -C "$build" -j "$jobs" "$@" 2>&1 | tee "$build/build.log" | show; then
  step=$(grep --max-count=1 "^FAILED: " "$build/build.log" || true)
  step=${step#FAILED: }
  echo "The build failed${step:+ at ${step% }}. All of it is in $build/build.log" >&2
  exit 1
fi
