// SPDX-License-Identifier: Apache-2.0
#include "table/range_tombstones.h"

#include <algorithm>
#include <functional>
#include <set>

namespace tamis {

namespace {

// A tombstone, during the sweep over the boundaries.
struct Stretch {
  size_t begin;  // indexes of boundaries
  size_t end;
  SequenceNumber sequence;
};

}  // namespace

RangeTombstoneFragments::RangeTombstoneFragments(
    const KeyOrder& order, const std::vector<RangeTombstone>& tombstones)
    : order_(order) {
  const auto before = [this](const std::string& a, const std::string& b) {
    return order_.CompareUserKeys(a, b) < 0;
  };
  for (const RangeTombstone& tombstone : tombstones) {
    if (!before(tombstone.begin, tombstone.end)) continue;
    boundaries_.push_back(tombstone.begin);
    boundaries_.push_back(tombstone.end);
  }
  std::sort(boundaries_.begin(), boundaries_.end(), before);
  const auto same = [this](const std::string& a, const std::string& b) {
    return order_.CompareUserKeys(a, b) == 0;
  };
  boundaries_.erase(std::unique(boundaries_.begin(), boundaries_.end(), same),
                    boundaries_.end());

  const auto index_of = [&](const std::string& key) {
    return static_cast<size_t>(
        std::lower_bound(boundaries_.begin(), boundaries_.end(), key, before) -
        boundaries_.begin());
  };
  std::vector<Stretch> stretches;
  for (const RangeTombstone& tombstone : tombstones) {
    if (!before(tombstone.begin, tombstone.end)) continue;
    stretches.push_back({index_of(tombstone.begin), index_of(tombstone.end),
                         tombstone.sequence});
  }
  std::sort(
      stretches.begin(), stretches.end(),
      [](const Stretch& a, const Stretch& b) { return a.begin < b.begin; });
  std::vector<Stretch> by_end = stretches;
  std::sort(by_end.begin(), by_end.end(),
            [](const Stretch& a, const Stretch& b) { return a.end < b.end; });

  // Sequences that cover the range between two adjacent boundaries.
  std::multiset<SequenceNumber, std::greater<>> active;
  size_t next = 0;
  size_t next_end = 0;
  for (size_t i = 0; i + 1 < boundaries_.size(); ++i) {
    for (; next_end < by_end.size() && by_end[next_end].end == i; ++next_end) {
      TAMIS_DCHECK(active.contains(by_end[next_end].sequence));
      active.erase(active.find(by_end[next_end].sequence));
    }
    for (; next < stretches.size() && stretches[next].begin == i; ++next) {
      active.insert(stretches[next].sequence);
    }
    if (active.empty()) continue;
    fragments_.push_back({i, i + 1, sequences_.size(), 0});
    std::unique_copy(active.begin(), active.end(),
                     std::back_inserter(sequences_));
  }
  FindRuns();
}

void RangeTombstoneFragments::FindRuns() {
  for (size_t i = 0; i < fragments_.size(); ++i) {
    const SequenceNumber newest = SequencesOf(i).front();
    newest_ = std::max(newest_, newest);
    if (i > 0 && fragments_[i - 1].end == fragments_[i].begin) {
      runs_.back().last = i;
      runs_.back().oldest = std::min(runs_.back().oldest, newest);
    } else {
      runs_.push_back({i, i, newest});
    }
    fragments_[i].run = runs_.size() - 1;
  }
}

std::span<const SequenceNumber> RangeTombstoneFragments::SequencesOf(
    size_t i) const {
  const size_t begin = fragments_[i].first_sequence;
  const size_t end = i + 1 < fragments_.size()
                         ? fragments_[i + 1].first_sequence
                         : sequences_.size();
  return {sequences_.data() + begin, end - begin};
}

RangeTombstoneFragments::Fragment RangeTombstoneFragments::at(size_t i) const {
  const Span& span = fragments_[i];
  return {boundaries_[span.begin], boundaries_[span.end], SequencesOf(i)};
}

void RangeTombstoneFragments::AppendTo(
    std::vector<RangeTombstone>* tombstones) const {
  for (size_t i = 0; i < size(); ++i) {
    const Fragment fragment = at(i);
    for (const SequenceNumber sequence : fragment.sequences) {
      tombstones->push_back(
          {fragment.begin.ToString(), fragment.end.ToString(), sequence});
    }
  }
}

size_t RangeTombstoneFragments::FindFragment(const Slice& user_key) const {
  const auto ends_at_or_before = [this](const Span& span, const Slice& key) {
    return order_.CompareUserKeys(boundaries_[span.end], key) <= 0;
  };
  return static_cast<size_t>(std::lower_bound(fragments_.begin(),
                                              fragments_.end(), user_key,
                                              ends_at_or_before) -
                             fragments_.begin());
}

SequenceNumber RangeTombstoneFragments::Covering(
    const Slice& user_key, SequenceNumber visible_at) const {
  const size_t i = FindFragment(user_key);
  if (i == fragments_.size() ||
      order_.CompareUserKeys(boundaries_[fragments_[i].begin], user_key) > 0) {
    return 0;
  }
  return NewestOf(i, visible_at);
}

SequenceNumber RangeTombstoneFragments::NewestOf(
    size_t i, SequenceNumber visible_at) const {
  const std::span<const SequenceNumber> sequences = SequencesOf(i);
  const auto newest = std::lower_bound(sequences.begin(), sequences.end(),
                                       visible_at, std::greater<>());
  return newest == sequences.end() ? 0 : *newest;
}

Slice RangeTombstoneFragments::EndOfRun(const Slice& user_key,
                                        SequenceNumber visible_at,
                                        SequenceNumber newest) const {
  size_t i = FindFragment(user_key);
  const Run& run = runs_[fragments_[i].run];
  if (IsCoveredBy(run, visible_at, newest)) {
    i = run.last;
  } else {
    while (i < run.last && NewestOf(i + 1, visible_at) > newest) ++i;
  }
  return boundaries_[fragments_[i].end];
}

Slice RangeTombstoneFragments::BeginOfRun(const Slice& user_key,
                                          SequenceNumber visible_at,
                                          SequenceNumber newest) const {
  size_t i = FindFragment(user_key);
  const Run& run = runs_[fragments_[i].run];
  if (IsCoveredBy(run, visible_at, newest)) {
    i = run.first;
  } else {
    while (i > run.first && NewestOf(i - 1, visible_at) > newest) --i;
  }
  return boundaries_[fragments_[i].begin];
}

bool RangeTombstoneFragments::HidesAll(const Slice& first, const Slice& last,
                                       SequenceNumber visible_at,
                                       SequenceNumber newest) const {
  if (Covering(first, visible_at) <= newest) return false;
  size_t i = FindFragment(first);
  const Run& run = runs_[fragments_[i].run];
  if (IsCoveredBy(run, visible_at, newest)) i = run.last;
  while (order_.CompareUserKeys(boundaries_[fragments_[i].end], last) <= 0) {
    if (i == run.last || NewestOf(i + 1, visible_at) <= newest) return false;
    ++i;
  }
  return true;
}

}  // namespace tamis
