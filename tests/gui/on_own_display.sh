#!/bin/bash
# Runs a command on a virtual display of its own: on_own_display.sh COMMAND [ARGS...]
# Ends with 77 (CTest: skipped) where Xvfb is not installed. TIDEMARK_TEST_SCREEN and TIDEMARK_TEST_DPI make it another one.
set -u
if ! command -v Xvfb >/dev/null; then
  echo "skipped: Xvfb is not installed; the window is tested on a virtual display (Debian and Ubuntu: apt install xvfb)"
  exit 77
fi
folder=$(mktemp -d)
Xvfb -displayfd 3 -screen 0 "${TIDEMARK_TEST_SCREEN:-1920x1080x24}" -nolisten tcp -noreset 3>"$folder/display" >"$folder/log" 2>&1 &
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
export DISPLAY=:$(cat "$folder/display")
# Where GLFW looks for a screen's scale: in X's resources.
if [ -n "${TIDEMARK_TEST_DPI:-}" ]; then
  xprop -root -f RESOURCE_MANAGER 8s -set RESOURCE_MANAGER "Xft.dpi: $TIDEMARK_TEST_DPI" || exit 1
fi
LIBGL_ALWAYS_SOFTWARE=1 "$@"
