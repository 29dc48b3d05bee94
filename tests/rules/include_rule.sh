#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# include_rule.sh <root>: a source uses what it includes. Of each header of ours
# that it includes, at least one name occurs in it: a type, function, constant,
# alias or macro. Left out are a source's own header and includes that are marked
# "IWYU pragma: export". Prints each include that is not used; exit 1 if any.
set -euo pipefail
cd "${1:?usage: include_rule.sh <root>}"

files=$(find include/tamis util filter table db capi facade/leveldb rados tools \
  \( -name '*.h' -o -name '*.cc' \) 2>/dev/null | sort || true)
# Twice: names are collected first.
# shellcheck disable=SC2086
awk '
  function declare(name) {
    if (name != "" && name !~ /^(if|for|while|switch|return|sizeof|operator|public|private|protected|override|const|noexcept|EXCLUDES|REQUIRES|GUARDED_BY|alignas|static_assert)$/)
      names[header] = names[header] " " name
  }
  function own(path) { sub(/\.(h|cc)$/, "", path); sub(/^include\//, "", path); return path }
  FNR == 1 {
    file = FILENAME
    header = FILENAME; sub(/^include\//, "", header)
    second = (file in seen); seen[file] = 1
    count = 0
  }
  # Comments and what is quoted are no uses.
  { code = $0; if (code !~ /#include/) gsub(/"([^"\\]|\\.)*"/, "\"\"", code); sub(/\/\/.*/, "", code) }
  !second {
    if (FILENAME !~ /\.h$/) next
    line = code
    if (match(line, /#[ ]*define +[A-Za-z_0-9]+/)) {
      name = substr(line, RSTART, RLENGTH); sub(/.* /, "", name); declare(name); next
    }
    if (line ~ /#[ ]*include/) next
    if (match(line, /^DECLARE_[a-z0-9]+\([a-z_0-9]+/)) {  # gflags
      name = substr(line, RSTART, RLENGTH); sub(/.*\(/, "FLAGS_", name); declare(name)
    }
    if (match(line, /(class|struct|union|enum|enum class|using) +((SCOPED_)?CAPABILITY(\("[a-z]*"\))? +|\[\[[a-z]*\]\] +|TAMIS_[A-Z_]+ +)*[A-Za-z_0-9]+/)) {
      name = substr(line, RSTART, RLENGTH); sub(/.* /, "", name)
      if (line !~ /;$/ || line ~ /using|[{]/) declare(name)
    }
    rest = line
    while (match(rest, /[A-Za-z_][A-Za-z_0-9]*( = |\(|\{|;|\[|,$)/)) {
      name = substr(rest, RSTART, RLENGTH)
      sub(/[^A-Za-z_0-9].*/, "", name)
      rest = substr(rest, RSTART + RLENGTH)
      declare(name)
    }
    next
  }
  # The words of the file, in one string.
  FNR == 1 { text = " " }
  {
    if ($0 ~ /#[ ]*include "[^"]*"$/) {
      target = $0; sub(/^[^"]*"/, "", target); sub(/".*/, "", target)
      if (own(target) != own(FILENAME) && (target in names)) {
        pending[FILENAME, ++includes[FILENAME]] = target
        place[FILENAME, includes[FILENAME]] = FNR
      }
      next
    }
    n = split(code, part, /[^A-Za-z_0-9]+/)
    for (i = 1; i <= n; ++i) if (part[i] != "") word[FILENAME, part[i]] = 1
    if (includes[FILENAME]) with[FILENAME] = 1
  }
  END {
    for (f in with) {
      for (i = 1; i <= includes[f]; ++i) {
        n = split(names[pending[f, i]], part, " ")
        used = 0
        for (j = 1; j <= n && !used; ++j) used = (f, part[j]) in word
        if (!used) {
          printf "%s:%d: nothing of %s is used\n", f, place[f, i], pending[f, i] | "sort"
          broken = 1
        }
      }
    }
    close("sort")
    exit broken
  }
' $files $files || exit 1
