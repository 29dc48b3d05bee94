// SPDX-License-Identifier: Apache-2.0
#include "db/ttl/timed_filter.h"

#include <string>
#include <utility>

#include "db/ttl/timed_value.h"

namespace tamis {

namespace {

class TimedFilter final : public CompactionFilter {
 public:
  TimedFilter(int32_t ttl, uint32_t now, const CompactionFilter* filter,
              std::unique_ptr<CompactionFilter> owned)
      : ttl_(ttl),
        now_(now),
        owned_(std::move(owned)),
        filter_(owned_ != nullptr ? owned_.get() : filter) {}

  const char* Name() const override { return "Delete By TTL"; }
  bool IgnoreSnapshots() const override {
    return filter_ != nullptr && filter_->IgnoreSnapshots();
  }

  Decision FilterV2(int level, const Slice& key, ValueType value_type,
                    const Slice& existing_value, std::string* new_value,
                    std::string* skip_until) const override {
    // Reads say what is wrong with it.
    if (!TimedValue::Check(existing_value).ok()) return Decision::kKeep;
    if (TimedValue::IsStale(existing_value, ttl_, now_)) {
      return Decision::kRemove;
    }
    if (filter_ == nullptr) return Decision::kKeep;
    const Decision decision = filter_->FilterV2(
        level, key, value_type, TimedValue::ValueOf(existing_value), new_value,
        skip_until);
    if (decision == Decision::kChangeValue) {
      TimedValue::AppendTime(TimedValue::TimeOf(existing_value), new_value);
    }
    return decision;
  }

 private:
  const int32_t ttl_;
  const uint32_t now_;
  const std::unique_ptr<CompactionFilter> owned_;
  const CompactionFilter* const filter_;  // may be nullptr
};

}  // namespace

bool TimedFilterFactory::ShouldFilterTableFileCreation(
    TableFileCreationReason reason) const {
  return factory_ != nullptr
             ? factory_->ShouldFilterTableFileCreation(reason)
             : CompactionFilterFactory::ShouldFilterTableFileCreation(reason);
}

std::unique_ptr<CompactionFilter> TimedFilterFactory::CreateCompactionFilter(
    const CompactionFilter::Context& context) {
  return std::make_unique<TimedFilter>(
      ttl_, TimedValue::Now(clock_.get()), filter_,
      factory_ != nullptr ? factory_->CreateCompactionFilter(context)
                          : nullptr);
}

}  // namespace tamis
