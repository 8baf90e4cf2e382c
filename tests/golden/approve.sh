#!/bin/bash
# approve.sh TIDEMARK [CASE...]: writes today's output into the golden cases (all, if none is named). Look at the
# difference (git diff tests/golden) before you commit it.
set -eu
tidemark=${1:?"usage: approve.sh BUILD/bin/tidemark [core/NAME.case ...]"}
tidemark=$(realpath -- "$tidemark")
[ -x "$tidemark" ] || { echo "approve.sh: $tidemark is no program" >&2; exit 1; }  # its refusals would be kept
shift
cd "$(dirname "$0")"
[ $# -gt 0 ] || set -- */*.case
for case_file; do APPROVE=1 bash run_case.sh "$tidemark" "$case_file"; done
