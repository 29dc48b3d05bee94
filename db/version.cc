// SPDX-License-Identifier: Apache-2.0
#include "db/version.h"

#include <algorithm>
#include <utility>

#include "db/level_iterator.h"
#include "table/table_lookup.h"
#include "util/fixed_vector.h"
#include "util/perf_counters.h"

namespace tamis {

namespace {

void CountGetHit(Statistics* statistics, int level) {
  RecordTick(statistics, level == 0   ? GET_HIT_L0
                         : level == 1 ? GET_HIT_L1
                                      : GET_HIT_L2_AND_UP);
  if (PerfContextByLevel* perf = PerfByLevel(level)) {
    ++perf->user_key_return_count;
  }
}

}  // namespace

// The sums are asked for far more often than a version is made.
Version::Version(const KeyOrder& order, const TableCache* tables, Levels levels)
    : order_(order), tables_(tables), levels_(std::move(levels)) {
  for (size_t level = 0; level < levels_.size(); ++level) {
    for (const TableFilePtr& file : levels_[level]) {
      level_bytes_[level] += file->meta.size;
      largest_epoch_ = std::max(largest_epoch_, file->meta.epoch_number);
    }
    if (level > 0) indexes_.emplace_back(order, levels_[level]);
  }
}

size_t Version::NumFiles() const {
  size_t count = 0;
  for (const LevelFiles& level : levels_) count += level.size();
  return count;
}

int Version::DeepestLevel() const {
  for (int level = kNumLevels - 1; level >= 0; --level) {
    if (!files(level).empty()) return level;
  }
  return -1;
}

// Step by step for all of them: table_lookup.h says what each step is.
template <size_t kQuestionsMax>
void Version::AskTogether(std::span<const Question> questions,
                          const ReadContext& context) const {
  TAMIS_DCHECK(questions.size() <= kQuestionsMax);
  struct Answering {
    Answering(const Question& asked, TableHandle&& open,
              const ReadContext& read)
        : question(asked),
          table(std::move(open)),
          lookup(*table, asked.read->key, asked.read->filter_key, read,
                 &asked.read->get) {}
    const Question& question;
    const TableHandle table;
    TableLookup lookup;
  };
  FixedVector<Answering, kQuestionsMax> all;
  for (const Question& question : questions) {
    PointRead& read = *question.read;
    auto table = tables_->Reader(*question.file, context.tier);
    if (!table.ok()) {
      read.get.Fail(table.status());
      continue;
    }
    // Before the filter, which knows keys alone.
    if (const auto* tombstones =
            TableCache::OpenRangeTombstones(*question.file)) [[unlikely]] {
      read.get.CoverBy(
          tombstones->Covering(read.key.user_key(), read.key.sequence()));
    }
    Answering& one = all.emplace_back(question, *std::move(table), context);
    if (kQuestionsMax > 1) one.lookup.PrefetchFilter();
  }
  for (Answering& one : all) {
    if (one.lookup.AskFilter()) one.lookup.FindBlock();
  }
  if (kQuestionsMax > 1) {
    for (Answering& one : all) one.lookup.PrefetchBlock();
    for (const Answering& one : all) one.lookup.PrefetchSlot();
    for (const Answering& one : all) one.lookup.PrefetchEntry();
  }
  for (Answering& one : all) {
    GetContext& get = one.question.read->get;
    Status status = one.lookup.Search();
    if (!status.ok()) {
      get.Fail(std::move(status));
    } else if (get.state() == GetContext::State::kFound ||
               get.state() == GetContext::State::kMergeReady) {
      CountGetHit(context.statistics, context.level);
    }
  }
}

void Version::Ask(std::span<const Question> questions,
                  const ReadContext& context) const {
  if (questions.empty()) return;
  if (questions.size() == 1) {
    AskTogether<1>(questions, context);
  } else {
    AskTogether<kReadsMax>(questions, context);
  }
}

void Version::Get(std::span<PointRead* const> reads,
                  ReadContext&& context) const {
  TAMIS_DCHECK(reads.size() <= kReadsMax);
  PointRead* left[kReadsMax];
  size_t n = 0;
  for (PointRead* read : reads) left[n++] = read;
  const auto forget_done = [&] {
    n = static_cast<size_t>(std::remove_if(left, left + n,
                                           [](const PointRead* read) {
                                             return read->get.needs_no_older();
                                           }) -
                            left);
  };
  Question questions[kReadsMax];

  context.level = 0;
  for (const TableFilePtr& file : files(0)) {
    const Slice smallest = ExtractUserKey(file->meta.smallest);
    const Slice largest = ExtractUserKey(file->meta.largest);
    size_t asked = 0;
    for (size_t i = 0; i < n; ++i) {
      const Slice key = left[i]->key.user_key();
      if (order_.CompareUserKeys(key, smallest) >= 0 &&
          order_.CompareUserKeys(key, largest) <= 0) {
        questions[asked++] = {left[i], file.get()};
      }
    }
    Ask({questions, asked}, context);
    forget_done();
    if (n == 0) return;
  }
  for (int level = 1; level < kNumLevels; ++level) {
    const LevelFiles& sorted = files(level);
    if (sorted.empty()) continue;
    context.level = level;
    const LevelIndex& index = indexes_[static_cast<size_t>(level - 1)];
    size_t place[kReadsMax];
    for (size_t i = 0; i < n; ++i) {
      place[i] = index.Find(left[i]->key.internal_key());
    }
    // Versions of one key may run on into the next file: then another round.
    for (size_t asked = 1; asked > 0;) {
      asked = 0;
      for (size_t i = 0; i < n; ++i) {
        if (place[i] >= sorted.size() || left[i]->get.needs_no_older()) {
          continue;
        }
        if (index.BeginsBehind(place[i], left[i]->key.user_key())) {
          place[i] = sorted.size();
          continue;
        }
        questions[asked++] = {left[i], sorted[place[i]++].get()};
      }
      Ask({questions, asked}, context);
    }
    forget_done();
    if (n == 0) return;
  }
}

void Version::AddIterators(
    const ReadContext& context, WalkTombstones* tombstones,
    std::vector<std::unique_ptr<InternalIterator>>* out) const {
  ReadContext here = context;
  here.level = 0;
  for (const TableFilePtr& file : files(0)) {
    out->push_back(NewLevelIterator(order_, tables_,
                                    std::span<const TableFilePtr>(&file, 1),
                                    here, tombstones));
  }
  for (int level = 1; level < kNumLevels; ++level) {
    here.level = level;
    if (!files(level).empty()) {
      out->push_back(
          NewLevelIterator(order_, tables_, files(level), here, tombstones));
    }
  }
}

bool Version::Overlaps(const TableFile& file, const Slice* begin,
                       const Slice* end) const {
  return (begin == nullptr || !EndsBefore(file, *begin)) &&
         (end == nullptr || order_.CompareUserKeys(
                                ExtractUserKey(file.meta.smallest), *end) <= 0);
}

LevelFiles Version::Overlapping(int level, const Slice* begin,
                                const Slice* end) const {
  return level == 0 ? OverlappingLevel0(begin, end)
                    : OverlappingSorted(files(level), begin, end);
}

// A chosen file widens the range.
LevelFiles Version::OverlappingLevel0(const Slice* begin,
                                      const Slice* end) const {
  LevelFiles chosen;
  Slice low = begin != nullptr ? *begin : Slice();
  Slice high = end != nullptr ? *end : Slice();
  const Slice* first = begin != nullptr ? &low : nullptr;
  const Slice* last = end != nullptr ? &high : nullptr;
  for (;;) {
    chosen.clear();
    bool grew = false;
    for (const TableFilePtr& file : files(0)) {
      if (!Overlaps(*file, first, last)) continue;
      chosen.push_back(file);
      const Slice smallest = ExtractUserKey(file->meta.smallest);
      const Slice largest = ExtractUserKey(file->meta.largest);
      if (first != nullptr && order_.CompareUserKeys(smallest, low) < 0) {
        low = smallest;
        grew = true;
      }
      if (last != nullptr && order_.CompareUserKeys(largest, high) > 0) {
        high = largest;
        grew = true;
      }
    }
    if (!grew) return chosen;
  }
}

// A level may have tens of thousands of files: no step looks at all of them.
LevelFiles Version::OverlappingSorted(const LevelFiles& sorted,
                                      const Slice* begin,
                                      const Slice* end) const {
  auto from = sorted.begin();
  if (begin != nullptr) from = FirstReaching(sorted, *begin);
  auto to = sorted.end();
  if (end != nullptr) {
    to = std::upper_bound(from, sorted.end(), *end,
                          [this](const Slice& key, const TableFilePtr& file) {
                            return order_.CompareUserKeys(
                                       key,
                                       ExtractUserKey(file->meta.smallest)) < 0;
                          });
  }
  if (from == to) return {};
  return WithSharedKeys(sorted, from, to);
}

LevelFiles Version::SharingKeysWith(int level, size_t i) const {
  TAMIS_DCHECK(level > 0);
  const LevelFiles& sorted = files(level);
  const auto at = sorted.begin() + static_cast<ptrdiff_t>(i);
  return WithSharedKeys(sorted, at, at + 1);
}

LevelFiles Version::WithSharedKeys(const LevelFiles& sorted,
                                   LevelFiles::const_iterator from,
                                   LevelFiles::const_iterator to) const {
  // The versions of one user key may run on over the border of two files.
  const auto share_a_key = [this](const TableFilePtr& a,
                                  const TableFilePtr& b) {
    return !EndsBefore(*a, ExtractUserKey(b->meta.smallest));
  };
  while (from != sorted.begin() && share_a_key(*(from - 1), *from)) --from;
  while (to != sorted.end() && share_a_key(*(to - 1), *to)) ++to;
  return {from, to};
}

// Where a tombstone ends a file, the key it ends at is no longer in there.
bool Version::EndsBefore(const TableFile& file, const Slice& user_key) const {
  const int c =
      order_.CompareUserKeys(ExtractUserKey(file.meta.largest), user_key);
  return c < 0 || (c == 0 && file.meta.ends_in_tombstone());
}

// The first file that ends at or behind the key.
LevelFiles::const_iterator Version::FirstReaching(const LevelFiles& sorted,
                                                  const Slice& user_key) const {
  return std::lower_bound(sorted.begin(), sorted.end(), user_key,
                          [this](const TableFilePtr& file, const Slice& key) {
                            return EndsBefore(*file, key);
                          });
}

bool Version::MayExistBelow(int level, const Slice& user_key) const {
  for (int deeper = level + 1; deeper < kNumLevels; ++deeper) {
    const LevelFiles& sorted = files(deeper);
    const auto it = FirstReaching(sorted, user_key);
    if (it != sorted.end() &&
        order_.CompareUserKeys(user_key,
                               ExtractUserKey((*it)->meta.smallest)) >= 0) {
      return true;
    }
  }
  return false;
}

bool Version::MayOverlapBelow(int level, const Slice& begin,
                              const Slice& end) const {
  for (int deeper = level + 1; deeper < kNumLevels; ++deeper) {
    const LevelFiles& sorted = files(deeper);
    const auto it = FirstReaching(sorted, begin);
    if (it != sorted.end() &&
        order_.CompareUserKeys(end, ExtractUserKey((*it)->meta.smallest)) > 0) {
      return true;
    }
  }
  return false;
}

}  // namespace tamis
