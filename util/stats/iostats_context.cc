// SPDX-License-Identifier: Apache-2.0
//
// Formats an IOStatsContext, from a table of names and members.
#include "tamis/iostats_context.h"

#include <iterator>

namespace tamis {

namespace {

struct IOCounter {
  const char* name;
  uint64_t IOStatsContext::*value;
};

// In the order of RocksDB's text.
constexpr IOCounter kIOCounters[] = {
    {"thread_pool_id", &IOStatsContext::thread_pool_id},
    {"bytes_read", &IOStatsContext::bytes_read},
    {"bytes_written", &IOStatsContext::bytes_written},
    {"open_nanos", &IOStatsContext::open_nanos},
    {"allocate_nanos", &IOStatsContext::allocate_nanos},
    {"write_nanos", &IOStatsContext::write_nanos},
    {"read_nanos", &IOStatsContext::read_nanos},
    {"range_sync_nanos", &IOStatsContext::range_sync_nanos},
    {"fsync_nanos", &IOStatsContext::fsync_nanos},
    {"prepare_write_nanos", &IOStatsContext::prepare_write_nanos},
    {"logger_nanos", &IOStatsContext::logger_nanos},
    {"cpu_write_nanos", &IOStatsContext::cpu_write_nanos},
    {"cpu_read_nanos", &IOStatsContext::cpu_read_nanos},
};

// Fails if a counter is missing from the table above.
static_assert(sizeof(IOStatsContext) ==
              (std::size(kIOCounters) + 1) * sizeof(uint64_t));

// The number of RocksDB's Env::Priority::TOTAL: of no pool.
constexpr uint64_t kNoPool = 4;

}  // namespace

void IOStatsContext::Reset() {
  const bool disabled = disable_iostats;
  *this = IOStatsContext();
  thread_pool_id = kNoPool;
  disable_iostats = disabled;
}

std::string IOStatsContext::ToString(bool exclude_zero_counters) const {
  std::string out;
  for (const IOCounter& counter : kIOCounters) {
    const uint64_t value = this->*counter.value;
    if (value == 0 && exclude_zero_counters) continue;
    if (!out.empty()) out += ", ";
    out += std::string(counter.name) + " = " + std::to_string(value);
  }
  return out;
}

}  // namespace tamis
