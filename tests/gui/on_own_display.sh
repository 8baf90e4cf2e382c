#!/bin/bash
# Runs a command on a virtual display of its own: on_own_display.sh COMMAND [ARGS...]
# Ends with 77 (CTest: skipped) where Xvfb is not installed.
set -u
if ! command -v Xvfb >/dev/null; then
  echo "skipped: Xvfb is not installed; the window is tested on a virtual display (Debian and Ubuntu: apt install xvfb)"
  exit 77
fi
folder=$(mktemp -d)
Xvfb -displayfd 3 -screen 0 1920x1080x24 -nolisten tcp 3>"$folder/display" >"$folder/log" 2>&1 &
server=$!
trap 'kill $server 2>/dev/null; wait $server 2>/dev/null; rm -rf "$folder"' EXIT
for _ in $(seq 300); do
  [ -s "$folder/display" ] && break
  kill -0 $server 2>/dev/null || break
  sleep 0.1
done
if [ ! -s "$folder/display" ]; then
  echo "Xvfb did not start:"
  cat "$folder/log"
  exit 1
fi
unset WAYLAND_DISPLAY
DISPLAY=:$(cat "$folder/display") LIBGL_ALWAYS_SOFTWARE=1 "$@"
