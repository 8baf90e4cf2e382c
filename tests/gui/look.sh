#!/bin/bash
# Pictures of every panel and dialog, to look at: look.sh GUI_WINDOW_TEST FOLDER [NAME...]   (NAMEs of window_test's tests)
# In light and dark, at 1× and 2×, in windows of 1280×800 and 1920×1080; a folder for each. Takes minutes.
# What a test checks in a window of 1920×1080 may be out of sight in a smaller one: how each ended is told, and counts for nothing.
set -eu
test=$1
folder=$2
shift 2
here=$(dirname "$(readlink -f "$0")")
for size in 1280x800 1920x1080; do
  for scale in 1 2; do
    pixels=$((${size%x*} * scale))x$((${size#*x} * scale))
    for theme in dark light; do
      look=$folder/$theme-$size-${scale}x
      mkdir -p "$look"
      options=(--size "$pixels")
      [ $theme = dark ] || options+=(--light)
      TIDEMARK_TEST_SCREEN=${pixels}x24 TIDEMARK_TEST_DPI=$((96 * scale)) \
        "$here/on_own_display.sh" "$test" "$look" "${options[@]}" "$@" >"$look/log" 2>&1 || true
      echo "$look: $(grep -E '[0-9]+ of [0-9]+ tests passed' "$look/log" || tail -n 1 "$look/log")"
    done
  done
done
