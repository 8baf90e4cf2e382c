#!/usr/bin/env bash
# usage: run.sh [SECONDS]   Builds the fuzzers and runs each that long. What they find is in build/dev-core/found; what they learnt
# stays in build/dev-core/corpus for the next time. An input that was found is run again by: FUZZER FILE.
# Without SECONDS each runs twenty seconds over the same inputs in the same order, so that what one check
# found the next one meets, too, on a machine that is as fast.
set -euo pipefail
root=$(dirname "$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")")
if [[ $# -gt 0 ]]; then
  extent=("-max_total_time=$1")
else
  extent=(-seed=1 -max_total_time=20)
fi
build=$root/build/dev-core
"$root/cmake/build.sh" dev-core fuzzers

rm -rf "$build/seeds"
mkdir -p "$build/found"
"$build/fuzzers/fuzz_seeds" "$build/seeds"

# Longer than a second or larger than 512 MiB is a find: inputs are at most 64 KiB.
fuzz() {
  local corpus=$1 fuzzer=$2
  [[ ${#extent[@]} -eq 1 ]] || rm -rf "$build/corpus/$corpus"
  mkdir -p "$build/corpus/$corpus"
  if ! "$build/fuzzers/$fuzzer" "${extent[@]}" -max_len=65536 -timeout=5 -rss_limit_mb=2048 -malloc_limit_mb=128 \
    -print_final_stats=1 -artifact_prefix="$build/found/$corpus-" "$build/corpus/$corpus" "$build/seeds/$corpus" \
    > "$build/found/$corpus.log" 2>&1; then
    tail -n 40 "$build/found/$corpus.log" >&2
    echo "The fuzzer of $corpus found something: $build/found/$corpus-*, all of it in $build/found/$corpus.log" >&2
    return 1
  fi
  echo "$corpus: $(awk '/number_of_executed_units/ {print $2}' "$build/found/$corpus.log") inputs, no find"
}

# As many at a time as there are cores.
failed=0
wait_for_one() { wait -n || failed=1; }
for corpus in recording database pickle json perfetto gzip; do
  while [[ $(jobs -rp | wc -l) -ge $(nproc) ]]; do wait_for_one; done
  case $corpus in
    recording | database) fuzz "$corpus" "fuzz_$corpus" & ;;
    *) fuzz "$corpus" fuzz_import & ;;
  esac
done
for job in $(jobs -p); do wait "$job" || failed=1; done
exit "$failed"
