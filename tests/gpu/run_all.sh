#!/usr/bin/env bash
# usage: run_all.sh [--card NAME] [--python PYTHON] [--out FOLDER] [--programs PATTERN] [--pairs N] [--check FOLDER] [--short] [--on-phantom]
# Everything that only a machine with a GPU can say, in under ten minutes, from a build that is there (cmake/build.sh release all, or
# just: cmake/build.sh release tidemark tidemark-trainer tidemark_phantom_stand_ins gpu_cupti_recorder gpu_cupti_cost tidemark_probe
# tidemark-calibrator):
#   card.txt           driver, card, and what the context, kernels and libraries take of the card's memory
#   calibration/       what cuDNN tells with a GPU only: tidemark calibrate, for assets/calibration
#   cupti.buffers      CUPTI's records of every kind of allocation, as they came
#   cupti_cost.txt     what each part of what is asked of CUPTI costs the calls that nobody watches, in nanoseconds
#   recordings/        the trainer, {native, expandable, async} × {simple-conv-net, resnet-50, gpt-mini} ×
#                      {fp32, amp, accumulate, checkpoint, out-of-memory}: .tide, and what it printed; 8 MB at most, to be kept as
#                      tests/gpu/fixtures/NAME/recordings. The last runs out of memory in its first step, the others do not; not so
#                      SimpleConvNet under async, where no setting limits memory and its largest batch fits
#   predicted.txt      those recordings beside the same runs on the card's phantom: the same requests, blocks and reserved within 1 %
#   histories.json.xz  the sizes in the memory histories of tests/phantom's programs, to compare the phantom's with
#   levels.txt         whether what the driver gave (CUPTI) changes as what the process takes (NVML), within 4 MiB
#   overhead.txt       what capture costs: step times with and without it, N pairs of processes of each of two networks (24)
#   losses.txt         four ranks that only make and free tensors, for a minute or 20 million: what is recorded, lost, and told of it
# NAME is the card's (tidemark cards); without it calibration and predicted.txt are left out. PYTHON has torch; without one the last four
# are left out. FOLDER is ./gpu-results if it is not named. Ends with 1 if a check failed.
# --check FOLDER makes predicted.txt alone, of recordings that were kept from a card NAME; it needs no GPU.
# --short takes one network, two pairs of short turns, and seconds of losses.
# --on-phantom tries this script where there is no GPU: every step but calibration, CUPTI's records (the phantom has no memory pools) and costs,
# on a phantom, in two pairs and with the programs of PATTERN. It says nothing of a card.
set -uo pipefail
root=$(dirname "$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")")
here=$root/tests/gpu
card='' python=python3 out=gpu-results programs='*' phantom='' short='' pairs='' kept=''
if [[ ${*: -1} == --on-phantom ]]; then
  phantom=yes
  set -- "${@:1:$#-1}"
fi
if [[ ${*: -1} == --short ]]; then
  short=yes
  set -- "${@:1:$#-1}"
fi
while [[ $# -gt 1 ]]; do
  case $1 in
    --card) card=$2 ;;
    --python) python=$2 ;;
    --out) out=$2 ;;
    --programs) programs=$2 ;;
    --pairs) pairs=$2 ;;
    --check) kept=$(readlink -f "$2") ;;
    *) break ;;
  esac
  shift 2
done
if [[ $# -gt 0 ]]; then
  sed -n 2p "${BASH_SOURCE[0]}" >&2
  exit 2
fi
tidemark=$root/build/bin/tidemark
if [[ ! -x $tidemark ]]; then
  echo "There is no build. Make one first: cmake/build.sh release all" >&2
  exit 1
fi
if [[ -n $phantom ]]; then
  card=${card:-h200}
elif [[ -z $kept ]] && ! nvidia-smi > /dev/null 2>&1; then
  echo "nvidia-smi finds no GPU on this machine, and without one there is nothing to measure." >&2
  exit 1
fi
if [[ -n $kept && -z $card ]]; then
  echo "Name the card of the recordings in $kept: --card NAME." >&2
  exit 2
fi
mkdir -p "$out"/{recordings,predicted,calibration}
out=$(readlink -f "$out")
failed=()
# What a Python program that uses the GPU runs under, and what the trainer's device is.
under=() device=(--device cuda) networks=(simple-conv-net resnet-50 gpt-mini) seconds=60 most_pairs=24 steps_timed=()
[[ -z $phantom ]] || under=("$tidemark" phantom --card "$card" --) device=(--device phantom --card "$card") most_pairs=2 steps_timed=(--tell-only)
[[ -z $short ]] || networks=(simple-conv-net) seconds=3 most_pairs=2 steps_timed+=(--network simple-conv-net --steps 10)
pairs=${pairs:-$most_pairs}

check() {
  local title=$1 start=$SECONDS
  shift
  if "$@"; then
    echo "== $title: done in $((SECONDS - start)) s"
  else
    echo "== $title: FAILED after $((SECONDS - start)) s"
    failed+=("$title;")
  fi
}

card_facts() {
  if [[ -z $phantom ]]; then
    nvidia-smi --query-gpu=name,driver_version,memory.total,memory.reserved --format=csv || return
  fi > "$out/card.txt"
  "${under[@]}" "$python" "$here/card_memory.py" >> "$out/card.txt"
}

# One run of the trainer; what it prints, and how it ends, stand beside the recording.
train() {
  local folder=$1 name=$2 settings=$3
  shift 3
  PYTORCH_CUDA_ALLOC_CONF=$settings timeout 120 "$tidemark" train "$@" -o "$out/$folder/$name.tide" > "$out/$folder/$name.txt" 2>&1
  echo "exit code $?" >> "$out/$folder/$name.txt"
}

# And the same on the card's phantom, but where PyTorch's allocator tells nothing of its blocks.
train_both() {
  local name=$1 settings=$2
  shift 2
  [[ -n $kept ]] || train recordings "$name" "$settings" "${device[@]}" "$@"
  [[ -z $card || $name == *.async.* ]] || TIDEMARK_PHANTOM_ADDRESSES=$order train predicted "$name" "$settings" --device phantom --card "$card" "$@"
}

# In which order the phantom hands out addresses: as the driver does that the card's recordings were made with.
addresses() {
  local card_facts=$out/card.txt version
  [[ -z $kept ]] || card_facts=$(dirname "$kept")/card.txt
  version=$(sed -n '2s/.*, \([0-9]*\)\.[0-9.]*, .*/\1/p' "$card_facts" 2> /dev/null)
  if [[ ${version:-0} -ge 580 ]]; then echo linux-580; else echo linux; fi
}

# Whether each ended as it was to.
ended_well() {
  local report well=yes
  for report in "$out"/recordings/*.txt; do
    case $report in
      *simple-conv-net.async.out-of-memory.txt) continue ;;
      *out-of-memory.txt) grep --quiet "out of memory" "$report" && grep --quiet "exit code 1" "$report" && continue ;;
      *) grep --quiet "exit code 0" "$report" && continue ;;
    esac
    echo "$report: did not end as it was to"
    well=''
  done
  [[ -n $well ]]
}

small_enough() {
  local bytes
  bytes=$(cat "$out"/recordings/*.tide | wc --bytes)
  echo "$bytes bytes of recordings"
  [[ $bytes -le 8000000 ]]
}

recordings() {
  local network allocator technique allowed batch steps alone order
  order=$(addresses)
  local -A settings=([native]='' [expandable]=expandable_segments:True [async]=backend:cudaMallocAsync)
  local -A options=([fp32]='' [amp]="--amp fp16" [accumulate]="--accumulate 2" [checkpoint]="--checkpoint layer" [out-of-memory]='')
  for network in "${networks[@]}"; do
    for allocator in native expandable async; do
      for technique in fp32 amp accumulate checkpoint out-of-memory; do
        batch=16 steps=4 alone=''
        [[ $network != simple-conv-net ]] || batch=64
        # Half precision's first steps overflow and are left out, until the loss's scale is small enough.
        [[ $technique != amp ]] || steps=12
        allowed=${settings[$allocator]}
        # So little of the card that the first step does not fit; under async, which does not heed that, the largest batch, with nothing
        # beside it: it takes all that there is.
        if [[ $technique == out-of-memory && $allocator == async ]]; then
          batch=4096 alone=yes
        elif [[ $technique == out-of-memory ]]; then
          allowed+="${allowed:+,}per_process_memory_fraction:0.0005"
        fi
        [[ -z $kept || -e $kept/$network.$allocator.$technique.tide ]] || continue
        [[ -z $alone ]] || wait
        # shellcheck disable=SC2086 # several options in one word
        train_both "$network.$allocator.$technique" "$allowed" --net "$network" --batch "$batch" --steps "$steps" \
          ${options[$technique]} &
        [[ -z $alone ]] || wait
        while [[ $(jobs -rp | wc -l) -ge $(($(nproc) > 8 ? 8 : 4)) ]]; do wait -n; done
      done
    done
  done
  wait
  [[ -n $kept ]] || { ended_well && small_enough; }
}

predicted() {
  python3 "$here/predicted.py" --tidemark "$tidemark" "${kept:-$out/recordings}" "$out/predicted" > "$out/predicted.txt"
}

levels() {
  "$python" "$here/levels.py" --tidemark "$tidemark" --under "${under[*]}" --out "$out/levels.txt"
}

histories() {
  local on=(--on-gpu)
  [[ -z $phantom ]] || on=(--tidemark "$tidemark" --card "$card")
  "$python" "$root/tests/phantom/run.py" "${on[@]}" --python "$python" --parallel "$(nproc)" --keep "$out/histories.json.xz" \
    "$programs" > "$out/histories.txt" 2>&1
}

# A program that brings no Python, with the CUPTI and the runtime of the build's torch.
beside_cuda() {
  LD_LIBRARY_PATH=$root/.deps/site/nvidia/cu13/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} "$@"
}

cupti_cost() {
  beside_cuda "$root/build/tests/gpu/gpu_cupti_cost" > "$out/cupti_cost.txt" && cat "$out/cupti_cost.txt"
}

overhead() {
  "${under[@]}" "$python" "$here/overhead.py" --tidemark "$tidemark" --pairs "$pairs" "${steps_timed[@]}" --out "$out/overhead.txt"
}

losses() {
  "$python" "$here/losses.py" --tidemark "$tidemark" --under "${under[*]}" --seconds "$seconds" --out "$out/losses.txt"
}

if [[ -n $kept ]]; then
  recordings
  check "Predicted against what was kept" predicted
  cat "$out/predicted.txt"
  [[ ${#failed[@]} -eq 0 ]]
  exit
fi
check "The card" card_facts
if [[ -z $phantom ]]; then
  check "What CUPTI costs" cupti_cost
  check "CUPTI's records" beside_cuda "$root/build/tests/gpu/gpu_cupti_recorder" "$out/cupti.buffers"
  [[ -z $card ]] || check "Calibration" "$tidemark" calibrate --card "$card" -o "$out/calibration"
fi
check "Recordings" recordings
[[ -z $card ]] || check "Predicted against measured" predicted
if "$python" -c "import importlib.util, sys; sys.exit(importlib.util.find_spec('torch') is None)" 2> /dev/null; then
  check "The driver's level against the card's" levels
  check "What capture costs" overhead
  check "Memory histories" histories
  check "Losses" losses
fi
echo "All of it is in $out."
if [[ ${#failed[@]} -gt 0 ]]; then
  echo "Failed: ${failed[*]}"
  exit 1
fi
