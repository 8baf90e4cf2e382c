#!/usr/bin/env bash
# usage: install_dependencies.sh [--without-cudnn | --with-cudnn]
# Everything that Tidemark needs and did not write: system packages (cmake/packages.txt) and archives (cmake/archives.ini).
# When nothing is missing it takes some 30 ms, prints nothing and needs no network.
#
# cuDNN, from which the phantom learns its workspaces, is 0.46 GB of the download. --without-cudnn leaves it out from now on (a
# file in .deps remembers it), --with-cudnn takes that back; TIDEMARK_CUDNN=none in the environment leaves it out this time.
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
root=$(dirname "$here")
case ${1-} in
  --without-cudnn) mkdir -p "$root/.deps" && touch "$root/.deps/without-cudnn" ;;
  --with-cudnn) rm -f "$root/.deps/without-cudnn" ;;
esac
"$here/install_system_packages.sh" "$here/packages.txt"

extras=()
if [[ -e /proc/driver/nvidia/version || -e /dev/nvidiactl || -e /dev/dxg ]]; then
  extras=(--with-cudnn --with-driver)  # to train on the GPU takes cuDNN too
elif [[ ! -e $root/.deps/without-cudnn && ${TIDEMARK_CUDNN-} != none ]]; then
  extras=(--with-cudnn)
fi

# .deps/complete is a link into the cache, to the list that its archives were last completed from.
is_complete() {
  local extra
  cmp --silent "$here/archives.ini" "$root/.deps/complete/archives.ini" || return 1
  for extra in "${extras[@]}"; do
    [[ -e $root/.deps/complete/${extra#--} ]] || return 1
  done
  # What was chosen to be left out goes.
  [[ ${#extras[@]} -gt 0 || ! -e $root/.deps/without-cudnn || ! -e $root/.deps/complete/with-cudnn ]]
}
if ! is_complete; then
  # The system's Python comes first: pip was installed for it; another one (pyenv, conda) may lack pip.
  for python in /usr/bin/python3 python3; do
    if "$python" -m pip --version > /dev/null 2>&1; then
      exec "$python" "$here/fetch_archives.py" "${extras[@]}"
    fi
  done
  echo "Python's package installer does not start: 'python3 -m pip --version' fails. Install python3-pip, then run this again." >&2
  exit 1
fi
