#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# run.sh [name...]: each mutant of mutants.txt (all, or those named) is put into
# a copy of the tree, the test programs are built there and run until a test
# fails. Prints what caught it, or NOT CAUGHT; exit 1 unless all were caught.
#
# run.sh --check <root>: only whether each mutant still has its one place.
#
# The copy with its build tree is build/mutants, or TAMIS_MUTANTS_COPY; what
# the programs said is in build/mutation/<name>.log.
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# Where a mutant's own list has not caught it: quick ones first.
all_programs=(util filter table process rados model tools kill db crash fuzz interop)
# Several times what the slowest takes alone. A hang is caught, too.
seconds_max=${TAMIS_MUTANTS_SECONDS:-600}

die() {
  echo "run.sh: $1" >&2
  exit 2
}

# read_list <file>: fills the arrays below, one element a mutant.
names=() files=() defects=() programs=() sought=() put=()
read_list() {
  local line n=-1 number=0
  while IFS= read -r line; do
    number=$((number + 1))
    case "$line" in
      '' | '#'*) ;;
      'mutant '*)
        n=$((n + 1))
        names[n]=${line#mutant } files[n]='' defects[n]='' programs[n]=''
        sought[n]='' put[n]=''
        ;;
      'file '*) files[n]=${line#file } ;;
      'defect '*) defects[n]=${line#defect } ;;
      'tests '*) programs[n]=${line#tests } ;;
      '-'*) sought[n]+=${line#-}$'\n' ;;
      '+'*) put[n]+=${line#+}$'\n' ;;
      *) die "$1:$number: not understood: $line" ;;
    esac
  done <"$1"
}

# mutate <root> <n>: the file's text with the defect is in $mutated. False: the
# text sought does not stand in exactly one place, and $why says so.
mutate() {
  local path=$1/${files[$2]} text without
  why=''
  if [ ! -f "$path" ]; then
    why="there is no ${files[$2]}"
    return 1
  fi
  # The x keeps newlines at the end.
  text=$(cat "$path" && echo x)
  text=${text%x}
  without=${text//"${sought[$2]}"/}
  if [ "${#without}" -eq "${#text}" ]; then
    why="its text is not in ${files[$2]}"
  elif [ $((${#without} + ${#sought[$2]})) -lt "${#text}" ]; then
    why="its text is in ${files[$2]} more than once"
  elif [ "${sought[$2]}" = "${put[$2]}" ]; then
    why="it changes nothing"
  fi
  [ -z "$why" ] || return 1
  mutated=${text/"${sought[$2]}"/"${put[$2]}"}
}

check() {
  local n wrong=0 seen=' '
  for n in "${!names[@]}"; do
    if [ -z "${defects[n]}" ] || [ -z "${programs[n]}" ]; then
      echo "${names[n]}: no line says what is wrong, or which test to run"
      wrong=1
    fi
    if [[ $seen == *" ${names[n]} "* ]]; then
      echo "${names[n]}: two mutants have this name"
      wrong=1
    fi
    seen+="${names[n]} "
    if ! mutate "$1" "$n"; then
      echo "${names[n]}: $why"
      wrong=1
    fi
  done
  [ "$wrong" -eq 0 ] && echo "${#names[@]} mutants, each with one place"
}

# The copy has the tree's sources; what is the same keeps its time.
copy_sources() {
  local file
  mkdir -p "$copy"
  git ls-files -z --cached --others --exclude-standard |
    while IFS= read -r -d '' file; do
      [ -f "$file" ] || continue
      cmp -s "$file" "$copy/$file" && continue
      mkdir -p "$copy/$(dirname "$file")"
      cp -p "$file" "$copy/$file"
      touch "$copy/$file"
    done
}

configure() {
  if command -v ninja >/dev/null; then export CMAKE_GENERATOR=Ninja; fi
  (cd "$copy" && cmake --preset release -DTAMIS_BUILD_TESTS=ON \
    -DTAMIS_UNITY=OFF -DTAMIS_WERROR=ON)
}

build() {
  cmake --build "$copy/build/release" --parallel "$(nproc)" --target "$1_tests"
}

# first_failure <log>: the first test that failed, or the last that began.
first_failure() {
  local test
  test=$(sed -n 's/^\[  FAILED  \] \([^ ,]*\).*/\1/p' "$1" | sed -n 1p)
  if [ -z "$test" ]; then
    test=$(sed -n 's/^\[ RUN      \] //p' "$1" | tail -n 1)
  fi
  echo "$test"
}

# fails <program> [filter] : true when a test fails, crashes or hangs; $verdict.
fails() {
  local program=$copy/build/release/bin/$1_tests status=0
  timeout --kill-after=10 "$seconds_max" "$program" --gtest_fail_fast \
    --gtest_filter="${2:-*}" </dev/null >"$log.run" 2>&1 &
  running=$!
  wait "$running" 2>/dev/null || status=$?
  running=''
  cat "$log.run" >>"$log"
  [ "$status" -eq 0 ] && return 1
  verdict="caught by $1_tests $(first_failure "$log.run")"
  case "$status" in
    1) ;;
    124 | 137) verdict+=" (it hangs)" ;;
    *) verdict+=" (exit $status)" ;;
  esac
}

# try <n>: $verdict says what became of the mutant, whose defect is in the copy.
try() {
  local program filter
  # A likely test each, then everything.
  for program in ${programs[$1]} "${all_programs[@]}"; do
    filter=${program#*:}
    [ "$filter" = "$program" ] && filter='*'
    program=${program%%:*}
    if ! build "$program" >>"$log" 2>&1; then
      verdict="NOT VALID: it does not build"
      return
    fi
    if fails "$program" "$filter"; then return; fi
  done
  verdict="NOT CAUGHT"
}

put_back() {
  [ -n "$changed" ] || return 0
  cp "$root/$changed" "$copy/$changed"
  changed=''
}

run() {
  local n name caught=0 missed=0 wanted=" $* "
  for name in "$@"; do
    [[ " ${names[*]} " == *" $name "* ]] || die "there is no mutant $name"
  done
  # Programs leave the directories of tests that were cut short.
  TMPDIR=$(mktemp -d)
  export TMPDIR
  trap 'put_back; rm -rf "$TMPDIR"' EXIT
  trap '[ -z "$running" ] || kill "$running"; exit 130' INT TERM
  for n in "${!names[@]}"; do
    name=${names[n]}
    [ $# -eq 0 ] || [[ $wanted == *" $name "* ]] || continue
    log=$root/build/mutation/$name.log
    : >"$log"
    if mutate "$root" "$n"; then
      changed=${files[n]}
      printf %s "$mutated" >"$copy/$changed"
      try "$n"
      put_back
    else
      verdict="NOT VALID: $why"
    fi
    rm -f "$log.run"
    echo "$name: $verdict"
    if [[ $verdict == caught* ]]; then
      caught=$((caught + 1))
    else
      missed=$((missed + 1))
    fi
  done
  echo "$caught caught, $missed not caught"
  [ "$missed" -eq 0 ]
}

if [ "${1:-}" = --check ]; then
  root=$(cd "${2:?usage: run.sh --check <root>}" && pwd)
  read_list "$root/tests/mutation/mutants.txt"
  check "$root"
  exit
fi

root=$(cd "$here/../.." && pwd)
cd "$root"
copy=${TAMIS_MUTANTS_COPY:-$root/build/mutants}
changed='' running='' verdict='' why='' mutated='' log=''
mkdir -p build/mutation
read_list "$here/mutants.txt"
check "$root"
copy_sources
configure >build/mutation/configure.log
run "$@"
