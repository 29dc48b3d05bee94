// SPDX-License-Identifier: Apache-2.0
#include "db/repair_layout.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>

#include "db/version.h"
#include "db/version_builder.h"

namespace tamis {

namespace {

auto AgeOf(const FileMetaData& meta) {
  return std::tuple(meta.largest_seqno, meta.smallest_seqno, meta.number);
}

// Tables that stand together: what they span in keys and in sequence numbers.
struct Span {
  std::string smallest;  // internal keys
  std::string largest;
  SequenceNumber first = 0;
  SequenceNumber last = 0;
  std::vector<size_t> tables;
};

// Whether all keys of a stand before all of b. A range tombstone's end is
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

// Merges until all that share keys are of distinct ages. Oldest first.
void MergeUnordered(const KeyOrder& order, std::vector<Span>* spans) {
  for (bool merged = true; merged;) {
    merged = false;
    std::vector<Span>& all = *spans;
    for (size_t i = 0; i < all.size(); ++i) {
      for (size_t j = 0; j < all.size() && !all[i].tables.empty(); ++j) {
        if (i == j || all[j].tables.empty() || OrderedByAge(all[i], all[j]) ||
            !ShareKeys(order, all[i], all[j])) {
          continue;
        }
        MergeInto(order, &all[i], &all[j]);
        merged = true;
      }
    }
    std::erase_if(all, [](const Span& span) { return span.tables.empty(); });
  }
  std::sort(spans->begin(), spans->end(), [](const Span& a, const Span& b) {
    return std::tie(a.last, a.first) < std::tie(b.last, b.first);
  });
}

// The deepest level above all older spans with keys of its own.
std::vector<int> LevelsByAge(const KeyOrder& order,
                             const std::vector<Span>& spans) {
  std::vector<int> levels;
  for (const Span& span : spans) {
    int level = kNumLevels - 1;
    for (size_t i = 0; i < levels.size(); ++i) {
      if (levels[i] <= level && ShareKeys(order, span, spans[i])) {
        level = std::max(0, levels[i] - 1);
      }
    }
    levels.push_back(level);
  }
  return levels;
}

// Level 0 takes no two tables of which one's ages lie within the other's, even
// where they share no keys. True: two were merged.
bool MergeNested(const KeyOrder& order, const std::vector<int>& levels,
                 std::vector<Span>* spans) {
  Span* older = nullptr;
  for (size_t i = 0; i < spans->size(); ++i) {
    if (levels[i] != 0) continue;
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

RepairPlan PlanByAge(const KeyOrder& order,
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
  std::vector<int> levels;
  do {
    MergeUnordered(order, &spans);
    levels = LevelsByAge(order, spans);
  } while (MergeNested(order, levels, &spans));

  RepairPlan plan;
  plan.as_they_were = false;
  for (size_t i = 0; i < spans.size(); ++i) {
    std::sort(spans[i].tables.begin(), spans[i].tables.end());
    plan.runs.push_back({levels[i], std::move(spans[i].tables)});
  }
  return plan;
}

std::vector<size_t> OldestFirst(const std::vector<RepairTable>& tables) {
  std::vector<size_t> by_age(tables.size());
  std::iota(by_age.begin(), by_age.end(), size_t{0});
  std::sort(by_age.begin(), by_age.end(), [&tables](size_t a, size_t b) {
    return AgeOf(tables[a].meta) < AgeOf(tables[b].meta);
  });
  return by_age;
}

// Tables that are listed nowhere go to level 0: right only when they are newer
// than all that are.
bool LevelsHold(const KeyOrder& order, const std::vector<RepairTable>& tables) {
  SequenceNumber last_listed = 0;
  bool any_listed = false;
  for (const RepairTable& table : tables) {
    if (table.level < 0) continue;
    any_listed = true;
    last_listed = std::max(last_listed, table.meta.largest_seqno);
  }
  VersionEdit edit;
  for (const RepairTable& table : tables) {
    if (table.level < 0 && any_listed &&
        table.meta.smallest_seqno <= last_listed) {
      return false;
    }
    edit.new_files.emplace_back(std::max(0, table.level), table.meta);
    edit.new_files.back().second.epoch_number = 0;
  }
  VersionBuilder builder(order, nullptr, nullptr);
  return builder.Apply(edit).ok() && builder.Build().ok();
}

// Among tables that no level tells apart, only distinct ages say who is newer.
bool UnlistedAreOrdered(const std::vector<RepairTable>& tables) {
  for (size_t i = 0; i < tables.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      const FileMetaData& a = tables[i].meta;
      const FileMetaData& b = tables[j].meta;
      if (tables[i].level >= 0 || tables[j].level >= 0) continue;
      if (a.smallest_seqno <= b.largest_seqno &&
          b.smallest_seqno <= a.largest_seqno) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace

RepairPlan PlanRepair(const KeyOrder& order,
                      const std::vector<RepairTable>& tables) {
  if (!UnlistedAreOrdered(tables) || !LevelsHold(order, tables)) {
    return PlanByAge(order, tables);
  }
  RepairPlan plan;
  for (const size_t i : OldestFirst(tables)) {
    plan.runs.push_back({std::max(0, tables[i].level), {i}});
  }
  return plan;
}

void NumberEpochs(std::vector<RepairTable>* tables) {
  const std::vector<size_t> by_age = OldestFirst(*tables);
  uint64_t epoch = 1;
  for (int level = kNumLevels - 1; level >= 0; --level) {
    bool any = false;
    for (const size_t i : by_age) {
      RepairTable& table = (*tables)[i];
      if (table.level != level) continue;
      any = true;
      table.meta.epoch_number = epoch;
      if (level == 0) ++epoch;
    }
    if (level > 0 && any) ++epoch;
  }
}

}  // namespace tamis
