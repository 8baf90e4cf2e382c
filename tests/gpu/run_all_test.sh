#!/usr/bin/env bash
# usage: run_all_test.sh FOLDER   Tries run_all.sh on a phantom, and what it keeps against the phantom once more. FOLDER is made anew.
# With the torch of $TIDEMARK_TEST_PYTHON, or of python3; 77 (to CTest: skipped) where that has none.
set -euo pipefail
script=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/run_all.sh
out=$1
python=${TIDEMARK_TEST_PYTHON:-python3}
export TIDEMARK_CUDNN=none # the trainer's cuDNN and that torch's need not be the same
if ! "$python" -c "import importlib.util, sys; sys.exit(importlib.util.find_spec('torch') is None)" 2> /dev/null; then
  echo "skipped: $python has no torch; name one that has in TIDEMARK_TEST_PYTHON"
  exit 77
fi
rm -rf "$out"
"$script" --python "$python" --out "$out" --programs gan --short --on-phantom
for file in card.txt predicted.txt levels.txt overhead.txt losses.txt histories.json.xz recordings/simple-conv-net.native.fp32.tide; do
  [[ -s $out/$file ]] || { echo "$file was not written" >&2; exit 1; }
done

# What was kept agrees; where it does not, that is found.
"$script" --card h200 --check "$out/recordings" --out "$out/again"
mkdir "$out/exchanged"
cp "$out/recordings/simple-conv-net.native.fp32.tide" "$out/exchanged/simple-conv-net.native.amp.tide"
if "$script" --card h200 --check "$out/exchanged" --out "$out/other" > /dev/null; then
  echo "Another run's recording was taken for the same" >&2
  exit 1
fi
