#!/bin/bash
# run_case.sh TIDEMARK CASE: runs one golden case and compares; with APPROVE=1 writes what came out into the case.
#
# A case is a text file: a comment (#) that says what it shows, the commands (each line after "$ "), and what they must
# give:
#   # A batch of nothing is wrong usage.
#   $ tidemark estimate --batch 0
#   --- exit 2
#   --- stdout
#   --- stderr
#   tidemark: --batch must be between 1 and 4096, not 0.
# The commands run as one bash script in an empty folder. What differs from run to run and from machine to machine is
# replaced before the comparison: times (TIME), the build (BUILD), the folder (FOLDER).
set -u
tidemark=$(realpath "$1")
case_file=$(realpath "$2")
build=$(dirname "$(dirname "$tidemark")")

folder=$(mktemp -d "${TMPDIR:-/tmp}/tidemark-golden-XXXXXX")
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/bin" "$folder/work"
ln -s "$tidemark" "$folder/bin/tidemark"

normalise() {
  sed -E -e "s|$folder/work|FOLDER|g" -e "s|$build|BUILD|g" \
    -e 's/"(step_seconds|duration_ns)": [0-9.e+-]+/"\1": TIME/' \
    -e 's/\b[0-9]+(\.[0-9]+)? (ns|µs|ms|s)\b/TIME/g'
}

# Figures are those without cuDNN's workspaces, in every installation; with them in cudnn/, where it is installed.
export TIDEMARK_CACHE=$build/tests/cache
installed=$(dirname "$(dirname "$(dirname "$(realpath "$0")")")")/.deps/site/nvidia/cudnn/lib
if [[ $case_file != */cudnn/* ]]; then
  export TIDEMARK_CUDNN=none
elif [[ ${TIDEMARK_CUDNN-} == none || ! -e $installed/libcudnn.so.9 ]]; then
  echo "skipped: cuDNN is not installed (./test --with-cudnn fetches it)"
  exit 77
fi

sed -n 's/^\$ //p' "$case_file" >"$folder/script"
(cd "$folder/work" && PATH="$folder/bin:$PATH" LC_ALL=C.UTF-8 bash "$folder/script" \
  >"$folder/stdout" 2>"$folder/stderr" </dev/null)
code=$?

{
  grep -E '^(#|\$ )' "$case_file"
  echo "--- exit $code"
  echo "--- stdout"
  normalise <"$folder/stdout"
  echo "--- stderr"
  normalise <"$folder/stderr"
} >"$folder/actual"

if [ "${APPROVE:-0}" = 1 ]; then
  cp "$folder/actual" "$case_file"
elif ! diff -u --label expected --label actual "$case_file" "$folder/actual"; then
  echo "If the new output is right: tests/golden/approve.sh $tidemark ${2##*/golden/}"
  exit 1
fi
