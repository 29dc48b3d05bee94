// SPDX-License-Identifier: Apache-2.0
#include "db/stats_report.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <iterator>

#include "util/coding/printable.h"

namespace tamis {

namespace {

constexpr double kMiB = 1 << 20;
constexpr double kGiB = 1 << 30;
constexpr double kMicros = 1e6;

__attribute__((format(printf, 1, 2))) std::string Format(const char* format,
                                                         ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof(text), format, arguments);
  va_end(arguments);
  return text;
}

// Counts of five digits and more in thousands, millions and so on.
std::string CountText(uint64_t n) {
  constexpr const char* kUnits[] = {"", "K", "M", "G"};
  size_t unit = 0;
  for (uint64_t limit = 10'000; n >= limit && unit + 1 < std::size(kUnits);
       ++unit) {
    n /= 1000;
  }
  return std::to_string(n) + kUnits[unit];
}

double Ratio(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0
                    : static_cast<double>(part) / static_cast<double>(whole);
}

// A line of the table. The columns are those of the map, in its order.
struct Row {
  enum Column : uint8_t {
    kFiles,
    kBusy,
    kBytes,
    kScore,
    kRead,
    kReadAbove,
    kReadAtOutput,
    kWrite,
    kWriteNew,
    kMoved,
    kWriteAmp,
    kReadRate,
    kWriteRate,
    kSeconds,
    kCpuSeconds,
    kJobs,
    kAverage,
    kEntries,
    kDropped,
    kRowColumns,
  };
  double values[kRowColumns];
  uint64_t entries;
  uint64_t dropped;
};

constexpr const char* kMapKeys[Row::kRowColumns] = {
    "NumFiles",  "CompactedFiles", "SizeBytes", "Score",   "ReadGB",
    "RnGB",      "Rnp1GB",         "WriteGB",   "WnewGB",  "MovedGB",
    "WriteAmp",  "ReadMBps",       "WriteMBps", "CompSec", "CompMergeCPU",
    "CompCount", "AvgSec",         "KeyIn",     "KeyDrop"};

Row RowOf(const LevelFacts& facts, const JobStats& jobs, double write_amp) {
  const auto real = [](uint64_t n) { return static_cast<double>(n); };
  const double seconds = real(jobs.micros) / kMicros;
  // One microsecond more, so that there is always a rate.
  const double rate_seconds = real(jobs.micros + 1) / kMicros;
  return {{real(facts.files), real(facts.busy), real(facts.bytes), facts.score,
           real(jobs.read()) / kGiB, real(jobs.read_above) / kGiB,
           real(jobs.read_at_output) / kGiB, real(jobs.written) / kGiB,
           (real(jobs.written) - real(jobs.read_at_output)) / kGiB,
           real(jobs.moved) / kGiB, write_amp,
           real(jobs.read()) / kMiB / rate_seconds,
           real(jobs.written) / kMiB / rate_seconds, seconds,
           real(jobs.cpu_micros) / kMicros, real(jobs.jobs),
           jobs.jobs == 0 ? 0 : seconds / real(jobs.jobs),
           real(jobs.entries_read), real(jobs.entries_dropped)},
          jobs.entries_read,
          jobs.entries_dropped};
}

std::string RowText(const std::string& name, const Row& row) {
  const auto& v = row.values;
  std::string text =
      Format("%4s %6.0f/%-3.0f %8s %5.1f", name.c_str(), v[Row::kFiles],
             v[Row::kBusy], BytesText(v[Row::kBytes]).c_str(), v[Row::kScore]);
  text += Format(" %8.1f %7.1f %8.1f %9.1f %8.1f %9.1f %5.1f", v[Row::kRead],
                 v[Row::kReadAbove], v[Row::kReadAtOutput], v[Row::kWrite],
                 v[Row::kWriteNew], v[Row::kMoved], v[Row::kWriteAmp]);
  text += Format(" %8.1f %8.1f %9.2f %17.2f %9.0f %8.3f", v[Row::kReadRate],
                 v[Row::kWriteRate], v[Row::kSeconds], v[Row::kCpuSeconds],
                 v[Row::kJobs], v[Row::kAverage]);
  // The last two are of blob files, of which there are none.
  text += Format(" %7s %6s %9.1f %9.1f\n", CountText(row.entries).c_str(),
                 CountText(row.dropped).c_str(), 0.0, 0.0);
  return text;
}

// Names may hold any bytes, but the text goes to LOG, too.
std::string InBrackets(const std::string& family) {
  std::string text = "[";
  AppendEscaped(&text, family);
  return text + "] **\n";
}

std::string TableHead(const std::string& family, const char* first_column) {
  const std::string columns =
      std::string(first_column) +
      "    Files   Size     Score Read(GB)  Rn(GB) Rnp1(GB) Write(GB) Wnew(GB) "
      "Moved(GB) W-Amp Rd(MB/s) Wr(MB/s) Comp(sec) CompMergeCPU(sec) "
      "Comp(cnt) Avg(sec) KeyIn KeyDrop Rblob(GB) Wblob(GB)";
  return "\n** Compaction Stats " + InBrackets(family) + columns + "\n" +
         std::string(columns.size() + 1, '-') + "\n";
}

// Calls visit(name, row) for each level with files or jobs, then for the sum.
template <typename Visit>
void ForEachRow(const FamilyReport& report, const Visit& visit) {
  const FamilyStats& stats = report.total.figures;
  LevelFacts all;
  for (const Level level : kLevels) {
    const LevelFacts& facts = report.levels[level];
    const JobStats& jobs = stats.levels[level];
    all.files += facts.files;
    all.busy += facts.busy;
    all.bytes += facts.bytes;
    if (facts.files == 0 && jobs.jobs == 0) continue;
    const uint64_t base =
        level == kLevelZero ? stats.entered_bytes() : jobs.read_above;
    visit("L" + level.ToString(),
          RowOf(facts, jobs, Ratio(jobs.written, base)));
  }
  const JobStats sum = stats.Sum();
  visit("Sum", RowOf(all, sum, Ratio(sum.written, stats.entered_bytes())));
}

std::string JobsLine(const char* name, const JobStats& jobs, double seconds) {
  const auto rate = [&](uint64_t bytes) {
    return static_cast<double>(bytes) / kMiB / std::max(seconds, 1e-3);
  };
  return Format(
      "%s compaction: %.2f GB write, %.2f MB/s write, %.2f GB read, %.2f MB/s "
      "read, %.1f seconds\n",
      name, static_cast<double>(jobs.written) / kGiB, rate(jobs.written),
      static_cast<double>(jobs.read()) / kGiB, rate(jobs.read()),
      static_cast<double>(jobs.micros) / kMicros);
}

std::string EnteredLines(const FamilyStats& now, const FamilyStats& last) {
  std::string text;
  const auto bytes = [&](const char* name, uint64_t FamilyStats::*figure) {
    text += Format("%s(GB): cumulative %.3f, interval %.3f\n", name,
                   static_cast<double>(now.*figure) / kGiB,
                   static_cast<double>(now.*figure - last.*figure) / kGiB);
  };
  const auto count = [&](const char* name, uint64_t FamilyStats::*figure) {
    text += std::string("AddFile(") + name + "): cumulative " +
            std::to_string(now.*figure) + ", interval " +
            std::to_string(now.*figure - last.*figure) + "\n";
  };
  bytes("Flush", &FamilyStats::flushed_bytes);
  bytes("AddFile", &FamilyStats::ingested_bytes);
  count("Total Files", &FamilyStats::ingested_files);
  count("L0 Files", &FamilyStats::ingested_level0_files);
  count("Keys", &FamilyStats::ingested_entries);
  return text;
}

std::string StallsLine(const StallCounts& stalls, const StallCounts& last) {
  const auto& level0 = stalls[StallCause::kLevel0];
  const auto& bytes = stalls[StallCause::kPendingBytes];
  const auto& memtables = stalls[StallCause::kMemTables];
  const StallCounts::Counts now = stalls.total();
  const StallCounts::Counts before = last.total();
  const auto text = [](uint64_t n) { return std::to_string(n); };
  return "Stalls(count): " + text(level0.delays) + " level0_slowdown, " +
         text(stalls.with_compaction.delays) +
         " level0_slowdown_with_compaction, " + text(level0.stops) +
         " level0_numfiles, " + text(stalls.with_compaction.stops) +
         " level0_numfiles_with_compaction, " + text(bytes.stops) +
         " stop for pending_compaction_bytes, " + text(bytes.delays) +
         " slowdown for pending_compaction_bytes, " + text(memtables.stops) +
         " memtable_compaction, " + text(memtables.delays) +
         " memtable_slowdown, interval " +
         text(now.delays + now.stops - before.delays - before.stops) +
         " total count\n";
}

std::string WritesLine(const char* name, const WriteCounts& counts) {
  return std::string(name) + " writes: " + CountText(counts.batches) +
         " writes, " + CountText(counts.entries) + " keys, " +
         CountText(counts.groups) +
         Format(" commit groups, %.1f writes per commit group, ingest: ",
                Ratio(counts.batches, counts.groups));
}

std::string LogLine(const char* name, const Since<WriteCounts>& since) {
  const WriteCounts& counts = since.figures;
  const auto bytes = static_cast<double>(counts.log_bytes);
  return std::string(name) + " WAL: " + CountText(counts.logged_batches) +
         " writes, " + CountText(counts.log_syncs) +
         Format(" syncs, %.2f writes per sync, written: %.2f GB, %.2f MB/s\n",
                Ratio(counts.logged_batches,
                      std::max<uint64_t>(counts.log_syncs, 1)),
                bytes / kGiB, bytes / kMiB / std::max(since.seconds, 1e-3));
}

std::string StallLine(const char* name, const Since<WriteCounts>& since) {
  const auto micros = static_cast<double>(since.figures.stall_micros);
  const uint64_t minutes = since.figures.stall_micros / 60'000'000;
  return Format("%s stall: %02u:%02u:%.3f H:M:S, %.1f percent\n", name,
                static_cast<unsigned>(minutes / 60),
                static_cast<unsigned>(minutes % 60),
                micros / kMicros - 60 * static_cast<double>(minutes),
                100 * micros / kMicros / std::max(since.seconds, 1e-3));
}

double MiBPerSecond(const Since<WriteCounts>& since) {
  return static_cast<double>(since.figures.bytes) / kMiB /
         std::max(since.seconds, 1e-3);
}

}  // namespace

std::string BytesText(double bytes) {
  constexpr const char* kUnits[] = {"KB", "MB", "GB", "TB"};
  size_t unit = 0;
  bytes /= 1024;
  for (; bytes >= 1024 && unit + 1 < std::size(kUnits); ++unit) bytes /= 1024;
  return Format("%.2f %s", bytes, kUnits[unit]);
}

std::string FamilyStatsText(const FamilyReport& report) {
  const FamilyStats& stats = report.total.figures;
  std::string text = TableHead(report.name, "Level");
  ForEachRow(report, [&text](const std::string& name, const Row& row) {
    text += RowText(name, row);
  });
  JobStats interval = stats.Sum();
  interval -= report.last.Sum();
  const uint64_t entered = stats.entered_bytes() - report.last.entered_bytes();
  text += RowText("Int", RowOf({}, interval, Ratio(interval.written, entered)));

  text += TableHead(report.name, "Priority");
  constexpr const char* kThreads[kJobThreads] = {"Low", "High", "User"};
  for (size_t i = 0; i < kJobThreads; ++i) {
    const JobStats& jobs = stats.threads[i];
    if (jobs.jobs != 0) text += RowText(kThreads[i], RowOf({}, jobs, 0));
  }
  text +=
      "\nBlob file count: 0, total size: 0.0 GB, garbage size: 0.0 GB, space "
      "amp: 0.0\n\n";
  text += Format("Uptime(secs): %.1f total, %.1f interval\n",
                 report.total.seconds, report.seconds_since_last);
  text += EnteredLines(stats, report.last);
  text += JobsLine("Cumulative", stats.Sum(), report.total.seconds);
  text += JobsLine("Interval", interval, report.seconds_since_last);
  return text + StallsLine(stats.stalls, report.last.stalls);
}

std::string ReadLatenciesText(const std::string& family,
                              const PerLevel<Histogram>* latencies) {
  std::string text =
      "\n** File Read Latency Histogram By Level " + InBrackets(family);
  if (latencies == nullptr) return text;
  for (const Level level : kLevels) {
    HistogramTotals totals;
    (*latencies)[level].AddTo(&totals);
    if (totals.count == 0) continue;
    text += "** Level " + level.ToString() +
            " read latency histogram (micros):\n" + totals.ToString() + "\n";
  }
  return text;
}

void FamilyStatsMap(const FamilyReport& report, StatsMap* values) {
  ForEachRow(report, [values](const std::string& name, const Row& row) {
    const std::string prefix = "compaction." + name + ".";
    for (size_t i = 0; i < Row::kRowColumns; ++i) {
      (*values)[prefix + kMapKeys[i]] = std::to_string(row.values[i]);
    }
    (*values)[prefix + "RblobGB"] = std::to_string(0.0);
    (*values)[prefix + "WblobGB"] = std::to_string(0.0);
  });
  const StallCounts& stalls = report.total.figures.stalls;
  const auto add = [values](const char* name, uint64_t count) {
    (*values)[std::string("io_stalls.") + name] = std::to_string(count);
  };
  const auto& level0 = stalls[StallCause::kLevel0];
  const auto& bytes = stalls[StallCause::kPendingBytes];
  add("level0_slowdown", level0.delays);
  add("level0_slowdown_with_compaction", stalls.with_compaction.delays);
  add("level0_numfiles", level0.stops);
  add("level0_numfiles_with_compaction", stalls.with_compaction.stops);
  add("slowdown_for_pending_compaction_bytes", bytes.delays);
  add("stop_for_pending_compaction_bytes", bytes.stops);
  add("memtable_slowdown", stalls[StallCause::kMemTables].delays);
  add("memtable_compaction", stalls[StallCause::kMemTables].stops);
  add("total_slowdown", stalls.total().delays);
  add("total_stop", stalls.total().stops);
}

void FamilyStallsMap(const StallCounts& stalls, StatsMap* values) {
  const auto add = [values](const std::string& name,
                            const StallCounts::Counts& counts,
                            const std::string& suffix) {
    (*values)[name + "-delays" + suffix] = std::to_string(counts.delays);
    (*values)[name + "-stops" + suffix] = std::to_string(counts.stops);
  };
  add("memtable-limit", stalls[StallCause::kMemTables], "");
  add("l0-file-count-limit", stalls[StallCause::kLevel0], "");
  add("pending-compaction-bytes", stalls[StallCause::kPendingBytes], "");
  add("cf-l0-file-count-limit", stalls.with_compaction,
      "-with-ongoing-compaction");
  add("total", stalls.total(), "");
}

std::string WriteStatsText(const Since<WriteCounts>& total,
                           const Since<WriteCounts>& interval) {
  std::string text = "\n** DB Stats **\n";
  text += Format("Uptime(secs): %.1f total, %.1f interval\n", total.seconds,
                 interval.seconds);
  text += WritesLine("Cumulative", total.figures);
  text += Format("%.2f GB, %.2f MB/s\n",
                 static_cast<double>(total.figures.bytes) / kGiB,
                 MiBPerSecond(total));
  text += LogLine("Cumulative", total);
  text += StallLine("Cumulative", total);
  text += WritesLine("Interval", interval.figures);
  text += Format("%.2f MB, %.2f MB/s\n",
                 static_cast<double>(interval.figures.bytes) / kMiB,
                 MiBPerSecond(interval));
  text += LogLine("Interval", interval);
  return text + StallLine("Interval", interval);
}

void WriteStatsMap(const Since<WriteCounts>& total, StatsMap* values) {
  const WriteCounts& counts = total.figures;
  const auto add = [values](const char* name, uint64_t count) {
    (*values)[std::string("db.") + name] = std::to_string(count);
  };
  (*values)["db.uptime"] = std::to_string(total.seconds);
  add("user_bytes_written", counts.bytes);
  add("user_keys_written", counts.entries);
  add("user_write_stall_micros", counts.stall_micros);
  add("user_writes_by_other", counts.batches - counts.groups);
  add("user_writes_by_self", counts.groups);
  add("user_writes_with_wal", counts.logged_batches);
  add("wal_bytes_written", counts.log_bytes);
  add("wal_syncs", counts.log_syncs);
}

void WriteStallsMap(const WriteCounts& total, StatsMap* values) {
  (*values)["write-buffer-manager-limit-stops"] =
      std::to_string(total.buffer_stops);
}

std::string StallsText(const StatsMap& values) {
  std::string text = "Write Stall (count): ";
  const char* separator = "";
  for (const auto& [name, count] : values) {
    text += separator + name + ": " + count;
    separator = ", ";
  }
  return text + "\n";
}

std::string LevelStatsText(const PerLevel<LevelFacts>& levels) {
  std::string text = "Level Files Size(MB)\n--------------------\n";
  for (const Level level : kLevels) {
    const LevelFacts& facts = levels[level];
    text += Format("%3d %8.0f %8.0f\n", level.value(),
                   static_cast<double>(facts.files),
                   static_cast<double>(facts.bytes) / kMiB);
  }
  return text;
}

}  // namespace tamis
