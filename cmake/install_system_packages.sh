#!/usr/bin/env bash
# usage: install_system_packages.sh LIST...   Installs the Debian or Ubuntu packages in the lists that are not there yet.
set -euo pipefail

packages=()
while read -r package _; do
  [[ -z $package || $package == \#* ]] || packages+=("$package")
done < <(cat "$@")

if ! command -v dpkg-query > /dev/null || ! command -v apt-get > /dev/null; then
  # Another distribution: its names differ, so the build's own tools are all that can be looked for.
  for tool in c++ cmake ninja pkg-config python3; do
    if ! command -v "$tool" > /dev/null; then
      echo "This is neither Debian nor Ubuntu, and '$tool' is missing. Install your system's versions of: ${packages[*]}" >&2
      exit 1
    fi
  done
  exit 0
fi

declare -A installed
while read -r status package; do
  [[ $status != ii* ]] || installed[$package]=1
done < <(dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' "${packages[@]}" 2> /dev/null || true)
missing=()
for package in "${packages[@]}"; do
  [[ -n ${installed[$package]:-} ]] || missing+=("$package")
done
[[ ${#missing[@]} -gt 0 ]] || exit 0

echo "Tidemark needs ${#missing[@]} system packages that are not installed: ${missing[*]}"
as_root=()
if [[ $(id -u) != 0 ]]; then
  if ! command -v sudo > /dev/null || { ! sudo -n true 2> /dev/null && [[ ! -t 0 ]]; }; then
    echo "Installing them takes root. As root, type: apt-get update && apt-get install --no-install-recommends ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
  sudo -n true 2> /dev/null || echo "sudo may ask for your password."
fi
apt_get() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get --quiet "$@" < /dev/null
}
echo "Installing them with apt-get..."
if ! apt_get update || ! apt_get install --yes --no-install-recommends "${missing[@]}"; then
  echo "apt-get failed: its message is above. When that is solved, run this again; or install the packages yourself." >&2
  exit 1
fi
