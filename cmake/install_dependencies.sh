#!/usr/bin/env bash
# Everything that Tidemark needs and did not write: system packages (cmake/packages.txt) and archives (cmake/archives.ini).
# When nothing is missing it takes some 30 ms, prints nothing and needs no network.
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
root=$(dirname "$here")
"$here/install_system_packages.sh" "$here/packages.txt"

driver=
if [[ -e /proc/driver/nvidia/version || -e /dev/nvidiactl || -e /dev/dxg ]]; then
  driver=--with-nvidia-driver
fi
# .deps/complete is a link into the cache, to the list that its archives were last completed from.
if ! cmp --silent "$here/archives.ini" "$root/.deps/complete/archives.ini" || [[ -n $driver && ! -e $root/.deps/complete/with-driver ]]; then
  # The system's Python comes first: pip was installed for it; another one (pyenv, conda) may lack pip.
  for python in /usr/bin/python3 python3; do
    if "$python" -m pip --version > /dev/null 2>&1; then
      exec "$python" "$here/fetch_archives.py" $driver
    fi
  done
  echo "Python's package installer does not start: 'python3 -m pip --version' fails. Install python3-pip, then run this again." >&2
  exit 1
fi
