// SPDX-License-Identifier: Apache-2.0
#include "tools/filter_report.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <functional>
#include <utility>

#include "table/table_reader.h"
#include "tools/decimal.h"
#include "tools/filter_what_if.h"
#include "tools/hex.h"
#include "tools/observed_rate.h"
#include "tools/table_facts.h"
#include "tools/tool_file_system.h"
#include "util/coding/printable.h"

namespace tamis {
namespace {

std::string MetaName(const FilterLocator& where) {
  return MetaindexKey(where.placement, where.family);
}

const char* HoldsWhat(const TableProperties& p) {
  if (!p.prefix_filtering) return p.whole_key_filtering ? "keys" : "nothing";
  return p.whole_key_filtering ? "keys and prefixes" : "prefixes";
}

}  // namespace

Result<std::shared_ptr<const SliceTransform>> ParseExtractor(
    const std::string& text) {
  std::shared_ptr<const SliceTransform> extractor;
  if (text.empty()) return extractor;
  const size_t colon = text.find(':');
  const std::string kind = text.substr(0, colon);
  size_t length = 0;
  const char* const begin =
      text.data() + (colon == std::string::npos ? text.size() : colon + 1);
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(begin, end, length);
  if (begin == end || parsed.ec != std::errc() || parsed.ptr != end ||
      (kind != "fixed" && kind != "capped")) {
    return Status::InvalidArgument(
        text, "is no prefix extractor; they are fixed:N and capped:N");
  }
  extractor.reset(kind == "fixed" ? NewFixedPrefixTransform(length)
                                  : NewCappedPrefixTransform(length));
  return extractor;
}

Result<std::vector<std::string>> ReadProbeKeys(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return Status::IOError(path, "cannot be read");
  std::vector<std::string> keys;
  for (std::string line; std::getline(in, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (!line.starts_with("0x")) line.insert(0, "0x");
    Result<std::string> key = ParseHex(line);
    if (!key.ok()) {
      return Status::InvalidArgument(path, "line " +
                                               std::to_string(keys.size() + 1) +
                                               ": " + key.status().message());
    }
    keys.push_back(*std::move(key));
  }
  if (in.bad()) return Status::IOError(path, "cannot be read");
  return keys;
}

Result<std::vector<std::string>> SomeKeys(const RawTable& table) {
  constexpr size_t kKeysMax = 1000000;
  std::vector<std::string> keys;
  const Status status =
      table.ForEachRow(Slice(), [&](const Slice& key, const Slice& /*value*/) {
        const Slice user_key = ExtractUserKey(key);
        if (keys.empty() || user_key != Slice(keys.back())) {
          keys.push_back(user_key.ToString());
        }
        return keys.size() < kKeysMax;
      });
  if (!status.ok()) return status;
  return keys;
}

namespace {

using Line = std::function<void(const char* name, const std::string& value)>;

// "0.952 % (400 of 42016 random keys)", or "unknown".
std::string ObservedText(const ObservedRate& observed, const char* of_what) {
  if (observed.probes == 0) return "unknown";
  return Decimal(100 * observed.rate(), 3, " %") + " (" +
         std::to_string(observed.matches) + " of " +
         std::to_string(observed.probes) + " " + of_what + ")";
}

void ReportPointFilter(const TableProperties& p, const FilterFacts& facts,
                       const FilterContents& contents, const Line& line) {
  if (!facts.where.has_value()) {
    line("placement", "none");
    return;
  }
  const bool partitioned =
      facts.where->placement == FilterPlacement::kPartitioned;
  line("placement", FilterPlacementName(facts.where->placement));
  line("codec", facts.codec);
  line("name", MetaName(*facts.where));
  line("filter policy",
       p.filter_policy_name.empty() ? "N/A" : p.filter_policy_name);
  line("holds", HoldsWhat(p));
  if (p.prefix_filtering) line("prefix extractor", p.prefix_extractor_name);
  line("bits per key", Decimal(facts.bits_per_key(), 2));
  line("parameters", !facts.parameters.empty() ? facts.parameters : "N/A");
  line("bytes", std::to_string(facts.bytes));
  line("entries", std::to_string(facts.keys));
  if (facts.where->placement != FilterPlacement::kFull) {
    line(partitioned ? "partitions" : "chunks", std::to_string(facts.filters));
    line(partitioned ? "partition bytes" : "chunk bytes",
         std::to_string(facts.smallest) + " to " +
             std::to_string(facts.largest));
  }
  line("predicted false positives",
       Decimal(100 * facts.predicted_fpr, 3, " %"));
  line("observed false positives",
       ObservedText(ObserveFilters(*facts.where, contents.filters),
                    "random keys"));
}

// Probes the only filter, or the partition where the range begins
// (filter/FORMAT.md). The contents must outlive the result.
RangeMayMatch ProbeOf(const RangeFilterCodec& codec,
                      const FilterContents& contents) {
  std::vector<RangeFilterView> views;
  views.reserve(contents.range.size());
  for (const std::string& filter : contents.range) {
    views.push_back(codec.Open(filter));
  }
  return [views = std::move(views), &last_keys = contents.range_last_keys](
             const Slice& begin, const Slice& end) {
    size_t at = 0;
    if (!last_keys.empty()) {
      const auto found = std::ranges::lower_bound(
          last_keys, begin,
          [](const Slice& a, const Slice& b) { return a.compare(b) < 0; },
          [](const std::string& key) { return Slice(key); });
      if (found == last_keys.end()) return false;
      if (Slice(*found).compare(end) < 0) return true;
      at = static_cast<size_t>(found - last_keys.begin());
    }
    return at >= views.size() || views[at].MayMatch(begin, end);
  };
}

Status ReportRangeFilter(const RawTable& table, const RangeFilterFacts& range,
                         const FilterContents& contents, const Line& line) {
  line("range filter", range.codec);
  line("range filter name", range.name);
  line("range filter parameters",
       range.parameters.empty() ? "N/A" : range.parameters);
  line("range filter bytes", std::to_string(range.bytes));
  const Result<std::vector<std::string>> keys = SomeKeys(table);
  if (!keys.ok()) return keys.status();
  const uint64_t entries = table.properties().num_entries;
  line("range filter bits per key",
       Decimal(entries == 0 ? 0
                            : 8 * static_cast<double>(range.bytes) /
                                  static_cast<double>(entries),
               2));
  line("range filter predicted false positives",
       Decimal(100 * range.predicted_fpr, 3, " %"));
  const RangeFilterCodec* const codec =
      FindRangeFilterCodec(ParseMetaindexKey(range.name)->family);
  line("range filter observed false positives",
       ObservedText(ObserveRangeFilter(ProbeOf(*codec, contents), *keys),
                    "ranges of one possible key"));
  return Status::OK();
}

}  // namespace

Status ReportFilter(const RawTable& table, const ReportSink& sink) {
  FilterContents contents;
  const Result<FilterFacts> facts = ReadFilterFacts(table, &contents);
  if (!facts.ok()) return facts.status();
  const Line line = [&sink](const char* name, const std::string& value) {
    sink("  " + std::string(name) + ": " + value + "\n");
  };
  ReportPointFilter(table.properties(), *facts, contents, line);
  if (facts->where && !table.OrderIsKnown().ok()) {
    line("used", "if comparator " +
                     Printable(table.properties().comparator_name) +
                     " says that equal keys have equal bytes, or says nothing "
                     "and filter_policy is set");
  }
  if (!facts->range) return Status::OK();
  return ReportRangeFilter(table, *facts->range, contents, line);
}

Status ReportWhatIf(const RawTable& table, int stored_percent,
                    const ReportSink& sink) {
  if (table.order().kind() != KeyOrder::Kind::kBytewise) {
    return Status::NotSupported(table.path(),
                                "range filters need keys in bytewise order");
  }
  const Result<std::vector<std::string>> keys = SomeKeys(table);
  if (!keys.ok()) return keys.status();
  return PrintWhatIf(*keys, stored_percent, sink);
}

Status ProbeFilter(const RawTable& table,
                   std::shared_ptr<const SliceTransform> extractor,
                   const std::vector<std::string>& keys,
                   const ReportSink& sink) {
  TAMIS_RETURN_IF_ERROR(table.OrderIsKnown());
  std::unique_ptr<RandomAccessFile> file;
  TAMIS_RETURN_IF_ERROR(
      ToolFileSystem()->NewRandomAccessFile(table.path(), &file));
  TableContext context(table.order());
  context.file_name = table.path();
  context.prefix_extractor = std::move(extractor);
  const auto reader =
      TableReader::Open(std::move(file), table.size_bytes(), context);
  if (!reader.ok()) return reader.status();
  for (const std::string& key : keys) {
    sink((*reader)->KeyMayMatch(key, ReadContext()) ? "may match\n" : "no\n");
  }
  return Status::OK();
}

}  // namespace tamis
