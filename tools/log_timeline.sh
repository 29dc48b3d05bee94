#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# log_timeline.sh [-w <columns>] <LOG>...: a database's LOG as a timeline, a row
# for each flush, compaction, stall, checkpoint, open, close and resume, in the
# order in which they began. Other events are marks; deleted files are left out.
#
#        begin   seconds  what            |12.300 s                      |
#        0.000     0.012  open            |#                             |
#        1.204     0.110  flush 3         |  #                           | file=12
#
# A job without an end is drawn to the last line of the log, and marked "...".
# Files are read in the order given: LOG.old.<n> before LOG. Exit 1: no event
# was found; 2: misuse.
set -euo pipefail

width=60
if [ "${1:-}" = -w ]; then
  width=${2:?log_timeline.sh: -w needs a number of columns}
  shift 2
fi
if [ $# -eq 0 ]; then
  echo "usage: log_timeline.sh [-w <columns>] <LOG>..." >&2
  exit 2
fi
for file in "$@"; do
  if [ ! -r "$file" ]; then
    echo "log_timeline.sh: $file cannot be read" >&2
    exit 2
  fi
done

awk -v width="$width" '
  # Days since 1970-01-01 of a date of the Gregorian calendar.
  function days(y, m, d) {
    if (m <= 2) { y--; m += 12 }
    return 365 * y + int(y / 4) - int(y / 100) + int(y / 400) + \
           int((153 * (m - 3) + 2) / 5) + d - 719469
  }
  function seconds(stamp,   part) {
    split(stamp, part, /[\/:-]/)
    return days(part[1], part[2], part[3]) * 86400 + part[4] * 3600 + \
           part[5] * 60 + part[6]
  }
  function field(name,   i) {
    for (i = 2; i <= NF; ++i)
      if (index($i, name "=") == 1) return substr($i, length(name) + 2)
    return ""
  }
  # What a row shows behind its bar: all but what it shows already.
  function details(shown,   i) {
    for (i = 2; i <= NF; ++i)
      if ($i !~ /^(event|job)=/ && index(shown " ", " " $i " ") == 0)
        shown = shown " " $i
    return shown
  }
  function row(name) {
    what[++rows] = name; begin[rows] = now; end[rows] = -1
    return rows
  }
  $2 !~ /^event=/ || $2 ~ /^event=(file_deleted|log_archived|table_written)$/ { next }
  {
    now = seconds($1)
    if (!events++) first = now
    now -= first
    event = field("event"); job = field("job")
    kind = event; sub(/_(start|end)$/, "", kind)
    key = kind " " job
    if (event ~ /_start$/) {
      open[key] = row(kind (job == "" ? "" : " " job))
      more[rows] = details("")
    } else if (event ~ /_end$/ && key in open) {
      end[open[key]] = now; more[open[key]] = details(more[open[key]])
      delete open[key]
    } else {
      row(event); end[rows] = now; more[rows] = details("")
    }
  }
  END {
    if (!events) {
      print "log_timeline.sh: no event was found" > "/dev/stderr"
      exit 1
    }
    scale = now > 0 ? width / now : 0
    printf "%12s %9s  %-18s |%-*s|\n", "begin", "seconds", "what", width,
           sprintf("%.3f s", now)
    for (r = 1; r <= rows; ++r) {
      cut = end[r] < 0
      if (cut) end[r] = now
      left = int(begin[r] * scale); if (left >= width) left = width - 1
      bar = int((end[r] - begin[r]) * scale + 0.5)
      if (bar < 1) bar = 1
      if (left + bar > width) bar = width - left
      line = sprintf("%*s", left, "")
      for (i = 0; i < bar; ++i) line = line "#"
      printf "%12.3f %9.3f  %-18s |%-*s|%s%s\n", begin[r], end[r] - begin[r],
             what[r], width, line, more[r], cut ? " ..." : ""
    }
  }
' "$@"
