// SPDX-License-Identifier: Apache-2.0
//
// Removes values and operands that are older than the time to live of their
// family, and passes the others to the user's filter, without their times.
#pragma once

#include <atomic>
#include <memory>

#include "tamis/clock.h"
#include "tamis/compaction_filter.h"

namespace tamis {

class TimedFilterFactory final : public CompactionFilterFactory {
 public:
  // Of the filter and the factory, at most one is not nullptr. The filter must
  // outlive *this.
  TimedFilterFactory(int32_t ttl, std::shared_ptr<Clock> clock,
                     const CompactionFilter* filter,
                     std::shared_ptr<CompactionFilterFactory> factory)
      : ttl_(ttl),
        clock_(std::move(clock)),
        filter_(filter),
        factory_(std::move(factory)) {}

  const char* Name() const override { return "TtlCompactionFilterFactory"; }
  bool ShouldFilterTableFileCreation(
      TableFileCreationReason reason) const override;
  std::unique_ptr<CompactionFilter> CreateCompactionFilter(
      const CompactionFilter::Context& context) override;

  int32_t ttl() const { return ttl_; }
  void set_ttl(int32_t ttl) { ttl_ = ttl; }

 private:
  std::atomic<int32_t> ttl_;
  const std::shared_ptr<Clock> clock_;
  const CompactionFilter* const filter_;
  const std::shared_ptr<CompactionFilterFactory> factory_;
};

}  // namespace tamis
