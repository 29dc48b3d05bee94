// SPDX-License-Identifier: Apache-2.0
#include "db/repair/repair_layout.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "db/base/numbers.h"
#include "db/version/version.h"
#include "db/version/version_builder.h"

namespace tamis {

namespace {

auto AgeOf(const FileMetaData& meta) {
  return std::tuple(meta.largest_seqno, meta.smallest_seqno, meta.number);
}

// A group of tables that one run will merge, with the range of their keys and
// sequence numbers.
struct Span {
  std::string smallest;  // internal keys
  std::string largest;
  SequenceNumber first = 0;
  SequenceNumber last = 0;
  std::vector<size_t> tables;
};

// Returns whether all keys of a are before all of b. A range tombstone's end is
// exclusive.
bool Before(const KeyOrder& order, const Span& a, const Span& b) {
  const int c = order.CompareUserKeys(ExtractUserKey(a.largest),
                                      ExtractUserKey(b.smallest));
  if (c != 0) return c < 0;
  return ExtractTail(a.largest) ==
         PackSequenceAndType(kMaxSequenceNumber, kTypeRangeDeletion);
}

bool ShareKeys(const KeyOrder& order, const Span& a, const Span& b) {
  return !Before(order, a, b) && !Before(order, b, a);
}

bool OrderedByAge(const Span& a, const Span& b) {
  return a.first > b.last || b.first > a.last;
}

void MergeInto(const KeyOrder& order, Span* into, Span* from) {
  if (order.Compare(from->smallest, into->smallest) < 0) {
    into->smallest = from->smallest;
  }
  if (order.Compare(from->largest, into->largest) > 0) {
    into->largest = from->largest;
  }
  into->first = std::min(into->first, from->first);
  into->last = std::max(into->last, from->last);
  into->tables.insert(into->tables.end(), from->tables.begin(),
                      from->tables.end());
  from->tables.clear();
}

// Merges spans that share keys, neither being older. Returns whether any were
// merged; a merged span is larger and may overlap others.
bool MergeSomeUnordered(const KeyOrder& order, std::vector<Span>* spans) {
  std::sort(spans->begin(), spans->end(),
            [&order](const Span& a, const Span& b) {
              return order.Compare(a.smallest, b.smallest) < 0;
            });
  bool merged = false;
  std::vector<Span*> reaching;  // those before it that may share its keys
  for (Span& span : *spans) {
    std::erase_if(reaching, [&](Span* other) {
      if (Before(order, *other, span)) return true;
      if (OrderedByAge(*other, span)) return false;
      MergeInto(order, &span, other);
      merged = true;
      return true;
    });
    reaching.push_back(&span);
  }
  std::erase_if(*spans, [](const Span& span) { return span.tables.empty(); });
  return merged;
}

// Merges spans until those that share keys have distinct ages, and sorts them
// oldest first.
void MergeUnordered(const KeyOrder& order, std::vector<Span>* spans) {
  while (MergeSomeUnordered(order, spans)) {
  }
  std::sort(spans->begin(), spans->end(), [](const Span& a, const Span& b) {
    return std::tie(a.last, a.first) < std::tie(b.last, b.first);
  });
}

// The spans of a level below 0, by key; they share no keys.
class LevelSpans {
 public:
  explicit LevelSpans(const KeyOrder& order)
      : spans_(BySmallest{&order}), order_(order) {}

  bool ShareKeysWith(const Span& span) const {
    const auto after = spans_.upper_bound(&span);
    return (after != spans_.end() && ShareKeys(order_, **after, span)) ||
           (after != spans_.begin() &&
            ShareKeys(order_, **std::prev(after), span));
  }
  void Add(const Span& span) { spans_.insert(&span); }

 private:
  struct BySmallest {
    const KeyOrder* order;
    bool operator()(const Span* a, const Span* b) const {
      return order->Compare(a->smallest, b->smallest) < 0;
    }
  };
  std::set<const Span*, BySmallest> spans_;
  const KeyOrder& order_;
};

// Returns a level for each span: the deepest one above all older spans that
// share its keys.
std::vector<Level> LevelsByAge(const KeyOrder& order,
                               const std::vector<Span>& spans) {
  std::map<Level, LevelSpans> placed;
  std::vector<const Span*> in_level_0;
  const auto share_keys = [&](Level level, const Span& span) {
    if (level > kLevelZero) {
      const auto at = placed.find(level);
      return at != placed.end() && at->second.ShareKeysWith(span);
    }
    return std::any_of(
        in_level_0.begin(), in_level_0.end(),
        [&](const Span* other) { return ShareKeys(order, *other, span); });
  };
  std::vector<Level> levels;
  for (const Span& span : spans) {
    Level level = kLevelZero;
    for (const Level candidate : kLevels) {
      if (share_keys(candidate, span)) break;
      level = candidate;
    }
    levels.push_back(level);
    if (level == kLevelZero) {
      in_level_0.push_back(&span);
    } else {
      placed.try_emplace(level, order).first->second.Add(span);
    }
  }
  return levels;
}

// Merges two spans in level 0 if one's sequence range contains the other's:
// level 0 cannot order them, even if they share no keys. Returns whether two
// were merged.
bool MergeNested(const KeyOrder& order, const std::vector<Level>& levels,
                 std::vector<Span>* spans) {
  Span* older = nullptr;
  for (size_t i = 0; i < spans->size(); ++i) {
    if (levels[i] != kLevelZero) continue;
    Span& span = (*spans)[i];
    if (older != nullptr && span.first <= older->first) {
      MergeInto(order, &span, older);
      std::erase_if(*spans, [](const Span& s) { return s.tables.empty(); });
      return true;
    }
    older = &span;
  }
  return false;
}

std::vector<RepairRun> PlanByAge(const KeyOrder& order,
                                 const std::vector<RepairTable>& tables) {
  std::vector<Span> spans;
  for (size_t i = 0; i < tables.size(); ++i) {
    const FileMetaData& meta = tables[i].meta;
    spans.push_back({meta.smallest,
                     meta.largest,
                     meta.smallest_seqno,
                     meta.largest_seqno,
                     {i}});
  }
  std::vector<Level> levels;
  do {
    MergeUnordered(order, &spans);
    levels = LevelsByAge(order, spans);
  } while (MergeNested(order, levels, &spans));

  std::vector<RepairRun> runs;
  for (size_t i = 0; i < spans.size(); ++i) {
    std::sort(spans[i].tables.begin(), spans[i].tables.end());
    runs.push_back({levels[i], std::move(spans[i].tables)});
  }
  return runs;
}

std::vector<size_t> OldestFirst(const std::vector<RepairTable>& tables) {
  std::vector<size_t> by_age(tables.size());
  std::iota(by_age.begin(), by_age.end(), size_t{0});
  std::sort(by_age.begin(), by_age.end(), [&tables](size_t a, size_t b) {
    return AgeOf(tables[a].meta) < AgeOf(tables[b].meta);
  });
  return by_age;
}

// Returns whether the tables are valid at their levels, with unlisted ones in
// level 0. Unlisted tables must be newer than all listed ones.
bool LevelsHold(const KeyOrder& order, const std::vector<RepairTable>& tables) {
  SequenceNumber last_listed = 0;
  bool any_listed = false;
  for (const RepairTable& table : tables) {
    if (!table.level) continue;
    any_listed = true;
    last_listed = std::max(last_listed, table.meta.largest_seqno);
  }
  VersionEdit edit;
  for (const RepairTable& table : tables) {
    if (!table.level && any_listed &&
        table.meta.smallest_seqno <= last_listed) {
      return false;
    }
    edit.new_files.emplace_back(table.level.value_or(kLevelZero), table.meta);
    edit.new_files.back().second.epoch_number = kUnknownEpoch;
  }
  VersionBuilder builder(order, nullptr, nullptr);
  return builder.Apply(edit).ok() && builder.Build().ok();
}

// Returns whether unlisted tables have distinct ages, which order them.
bool UnlistedAreOrdered(const std::vector<RepairTable>& tables) {
  std::vector<std::pair<SequenceNumber, SequenceNumber>> ages;
  for (const RepairTable& table : tables) {
    if (table.level) continue;
    ages.emplace_back(table.meta.smallest_seqno, table.meta.largest_seqno);
  }
  std::sort(ages.begin(), ages.end());
  return std::adjacent_find(ages.begin(), ages.end(),
                            [](const auto& older, const auto& newer) {
                              return newer.first <= older.second;
                            }) == ages.end();
}

}  // namespace

std::vector<RepairRun> PlanRepair(const KeyOrder& order,
                                  const std::vector<RepairTable>& tables) {
  if (!UnlistedAreOrdered(tables) || !LevelsHold(order, tables)) {
    return PlanByAge(order, tables);
  }
  std::vector<RepairRun> runs;
  for (const size_t i : OldestFirst(tables)) {
    runs.push_back({tables[i].level.value_or(kLevelZero), {i}});
  }
  return runs;
}

void NumberEpochs(std::vector<RepairTable>* tables) {
  const std::vector<size_t> by_age = OldestFirst(*tables);
  EpochNumber epoch{1};
  for (const Level level : kLevelsDeepestFirst) {
    bool any = false;
    for (const size_t i : by_age) {
      RepairTable& table = (*tables)[i];
      if (table.level != level) continue;
      any = true;
      table.meta.epoch_number = epoch;
      if (level == kLevelZero) epoch++;
    }
    if (level > kLevelZero && any) epoch++;
  }
}

}  // namespace tamis
