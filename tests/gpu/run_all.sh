#!/usr/bin/env bash
# usage: run_all.sh [--card NAME] [--python PYTHON] [--out FOLDER] [--programs PATTERN] [--on-phantom]
# Everything that only a machine with a GPU can say, in under ten minutes, from a build that is there (cmake/build.sh release all, or
# just: cmake/build.sh release tidemark tidemark-trainer tidemark_phantom_stand_ins gpu_cupti_recorder tidemark_probe tidemark-calibrator):
#   card.txt           driver, card, and what the context, kernels and libraries take of the card's memory
#   calibration/       what cuDNN tells with a GPU only: tidemark calibrate, for assets/calibration
#   cupti.buffers      CUPTI's records of every kind of allocation, as they came
#   recordings/        the trainer, {native, expandable, async} × {simple-conv-net, resnet-50, gpt-mini} ×
#                      {fp32, amp, accumulate, checkpoint, out-of-memory}: .tide, and what it printed
#   predicted.txt      those recordings beside the same runs on the card's phantom: allocated to the byte, reserved within 1 %
#   histories.json.xz  the sizes in the memory histories of tests/phantom's programs, to compare the phantom's with
#   overhead.txt       what capture costs: step times with and without it, in turns
#   losses.txt         four ranks that only make and free tensors, for a minute: what is recorded, lost, and told of it
# NAME is the card's (tidemark cards); without it calibration and predicted.txt are left out. PYTHON has torch; without one the last three
# are left out. FOLDER is ./gpu-results if it is not named. Ends with 1 if a check failed.
# --on-phantom tries this script where there is no GPU: every step but calibration and CUPTI's records (the phantom has no memory pools),
# on a phantom, in two pairs and with the programs of PATTERN. It says nothing of a card.
set -uo pipefail
root=$(dirname "$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")")
here=$root/tests/gpu
card='' python=python3 out=gpu-results programs='*' phantom=''
if [[ ${*: -1} == --on-phantom ]]; then
  phantom=yes
  set -- "${@:1:$#-1}"
fi
while [[ $# -gt 1 ]]; do
  case $1 in
    --card) card=$2 ;;
    --python) python=$2 ;;
    --out) out=$2 ;;
    --programs) programs=$2 ;;
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
elif ! nvidia-smi > /dev/null 2>&1; then
  echo "nvidia-smi finds no GPU on this machine, and without one there is nothing to measure." >&2
  exit 1
fi
mkdir -p "$out"/{recordings,predicted,calibration}
out=$(readlink -f "$out")
failed=()
# What a Python program that uses the GPU runs under, and what the trainer's device is.
under=() device=(--device cuda) pairs=5
[[ -z $phantom ]] || under=("$tidemark" phantom --card "$card" --) device=(--device phantom --card "$card") pairs=2

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
  train recordings "$name" "$settings" "${device[@]}" "$@"
  [[ -z $card || $name == *.async.* ]] || train predicted "$name" "$settings" --device phantom --card "$card" "$@"
}

recordings() {
  local network allocator technique allowed batch steps
  local -A settings=([native]='' [expandable]=expandable_segments:True [async]=backend:cudaMallocAsync)
  local -A options=([fp32]='' [amp]="--amp fp16" [accumulate]="--accumulate 2" [checkpoint]="--checkpoint layer" [out-of-memory]='')
  for network in simple-conv-net resnet-50 gpt-mini; do
    for allocator in native expandable async; do
      for technique in fp32 amp accumulate checkpoint out-of-memory; do
        batch=16 steps=4
        [[ $network != simple-conv-net ]] || batch=64
        allowed=${settings[$allocator]}
        # So little of the card that the first step does not fit.
        [[ $technique != out-of-memory ]] || allowed+="${allowed:+,}per_process_memory_fraction:0.0005"
        # shellcheck disable=SC2086 # several options in one word
        train_both "$network.$allocator.$technique" "$allowed" --net "$network" --batch "$batch" --steps "$steps" \
          ${options[$technique]} &
        while [[ $(jobs -rp | wc -l) -ge 4 ]]; do wait -n; done
      done
    done
  done
  wait
  ! grep --files-without-match "exit code [01]" "$out"/recordings/*.txt | grep .
}

predicted() {
  python3 "$here/predicted.py" --tidemark "$tidemark" "$out/recordings" "$out/predicted" > "$out/predicted.txt"
}

histories() {
  local on=(--on-gpu)
  [[ -z $phantom ]] || on=(--tidemark "$tidemark" --card "$card")
  "$python" "$root/tests/phantom/run.py" "${on[@]}" --python "$python" --parallel "$(nproc)" --keep "$out/histories.json.xz" \
    "$programs" > "$out/histories.txt" 2>&1
}

overhead() {
  "${under[@]}" "$python" "$here/overhead.py" --tidemark "$tidemark" --pairs "$pairs" --out "$out/overhead.txt"
}

losses() {
  "$python" "$here/losses.py" --tidemark "$tidemark" --under "${under[*]}" --out "$out/losses.txt"
}

check "The card" card_facts
if [[ -z $phantom ]]; then
  check "CUPTI's records" "$root/build/tests/gpu/gpu_cupti_recorder" "$out/cupti.buffers"
  [[ -z $card ]] || check "Calibration" "$tidemark" calibrate --card "$card" -o "$out/calibration"
fi
check "Recordings" recordings
[[ -z $card ]] || check "Predicted against measured" predicted
if "$python" -c "import importlib.util, sys; sys.exit(importlib.util.find_spec('torch') is None)" 2> /dev/null; then
  check "What capture costs" overhead
  check "Memory histories" histories
  check "Losses" losses
fi
echo "All of it is in $out."
if [[ ${#failed[@]} -gt 0 ]]; then
  echo "Failed: ${failed[*]}"
  exit 1
fi
