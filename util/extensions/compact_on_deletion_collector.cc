// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <deque>

#include "tamis/utilities/table_properties_collectors.h"

namespace tamis {

namespace {

class CompactOnDeletionCollector final : public TablePropertiesCollector {
 public:
  CompactOnDeletionCollector(size_t window, size_t trigger, double ratio)
      : window_(window), trigger_(trigger), ratio_(ratio) {}

  const char* Name() const override {
    return CompactOnDeletionCollectorFactory::kClassName();
  }
  Status AddUserKey(const Slice& /*key*/, const Slice& /*value*/,
                    EntryType type, SequenceNumber /*seq*/,
                    uint64_t /*file_size*/) override {
    ++entries_;
    if (type != kEntryDelete && type != kEntrySingleDelete) {
      return Status::OK();
    }
    ++deletions_;
    if (!need_compaction_ && window_ != 0) AddToWindow();
    return Status::OK();
  }
  Status Finish(UserCollectedProperties* /*properties*/) override {
    if (ratio_ > 0 && ratio_ <= 1 && entries_ > 0) {
      need_compaction_ |= static_cast<double>(deletions_) >=
                          ratio_ * static_cast<double>(entries_);
    }
    return Status::OK();
  }
  UserCollectedProperties GetReadableProperties() const override { return {}; }
  bool NeedCompact() const override { return need_compaction_; }

 private:
  // The entry just counted is a deletion.
  void AddToWindow() {
    while (!in_window_.empty() && entries_ - in_window_.front() >= window_) {
      in_window_.pop_front();
    }
    in_window_.push_back(entries_);
    need_compaction_ = in_window_.size() >= trigger_;
    if (need_compaction_) in_window_.clear();
  }

  const size_t window_;  // 0: none
  const size_t trigger_;
  const double ratio_;
  uint64_t entries_ = 0;
  uint64_t deletions_ = 0;
  // Of the last `window_` entries, those that are deletions: their numbers,
  // fewer than `trigger_`.
  std::deque<uint64_t> in_window_;
  bool need_compaction_ = false;
};

}  // namespace

TablePropertiesCollector*
CompactOnDeletionCollectorFactory::CreateTablePropertiesCollector(
    Context /*context*/) {
  const size_t trigger = deletion_trigger_;
  const size_t window = trigger == 0 ? 0 : sliding_window_size_.load();
  const double ratio = deletion_ratio_;
  if (window == 0 && !(ratio > 0 && ratio <= 1)) return nullptr;
  return new CompactOnDeletionCollector(window, trigger, ratio);
}

std::string CompactOnDeletionCollectorFactory::ToString() const {
  return std::string(Name()) +
         " (Sliding window size = " + std::to_string(GetWindowSize()) +
         " Deletion trigger = " + std::to_string(GetDeletionTrigger()) +
         " Deletion ratio = " + std::to_string(GetDeletionRatio()) + ')';
}

std::shared_ptr<CompactOnDeletionCollectorFactory>
NewCompactOnDeletionCollectorFactory(size_t sliding_window_size,
                                     size_t deletion_trigger,
                                     double deletion_ratio) {
  return std::make_shared<CompactOnDeletionCollectorFactory>(
      sliding_window_size, deletion_trigger, deletion_ratio);
}

}  // namespace tamis
