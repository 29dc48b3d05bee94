// SPDX-License-Identifier: Apache-2.0
//
// The operations of YCSB's core workloads A to F (Cooper et al., SoCC 2010),
// independent of an engine.
//
//   A  50 % reads, 50 % updates              scrambled zipfian
//   B  95 % reads, 5 % updates               scrambled zipfian
//   C  reads                                 scrambled zipfian
//   D  95 % reads, 5 % inserts               latest
//   E  95 % scans of 1 to 100 entries        scrambled zipfian
//      (uniform), 5 % inserts
//   F  50 % reads, 50 % read-modify-writes   scrambled zipfian
//
// Records are numbered. The key of record n is YCSB's: "user" and the decimal
// form of the FNV-1a hash of n, so that records lie in random order.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "tools/ycsb_choosers.h"
#include "util/base/random.h"

namespace tamis::ycsb {

// Percentages, which sum to 100.
struct Mix {
  char name;  // 'a' to 'f'
  int reads;
  int updates;
  int inserts;
  int scans;
  int read_modify_writes;
  Distribution distribution;
};

inline constexpr uint64_t kLongestScan = 100;
inline constexpr uint64_t kRecordBytes = 1000;  // YCSB: 10 fields of 100 bytes

// Returns nullptr if there is no such workload.
const Mix* FindMix(char name);

// Makes keys. One thread.
class KeyMaker {
 public:
  // Valid until the next call.
  std::string_view Make(uint64_t number);
  // Returns the key of no record. REQUIRES: number < 2^62
  std::string_view MakeAbsent(uint64_t number);

 private:
  std::string key_;
};

// The records of a database: those loaded, and those inserted since. Any
// thread.
class Records {
 public:
  explicit Records(uint64_t loaded) : next_(loaded), present_(loaded) {}

  // Returns how many records can be read: those before the first whose insert
  // has not finished.
  uint64_t present() const { return present_.load(std::memory_order_acquire); }
  // Returns the number of a new record, for whose insert the caller calls
  // Inserted() after it succeeded.
  uint64_t StartInsert() {
    return next_.fetch_add(1, std::memory_order_relaxed);
  }
  void Inserted(uint64_t number);

 private:
  std::atomic<uint64_t> next_;
  std::atomic<uint64_t> present_;
  std::mutex mutex_;
  std::set<uint64_t> early_;  // inserted, but after present_
};

enum class Kind : uint8_t { kRead, kUpdate, kInsert, kScan, kReadModifyWrite };

struct Operation {
  Kind kind = Kind::kRead;
  bool absent = false;       // a read of MakeAbsent(number)
  uint64_t number = 0;       // not for inserts: see Records
  uint64_t scan_length = 0;  // entries
};

// Draws the operations of one thread. They depend only on the arguments, as
// long as no other thread inserts. Absent keys do not follow the distribution,
// and practically never repeat: a popular one that passes a filter by chance
// would hide the filter's false-positive rate.
class OperationSource {
 public:
  struct Settings {
    // Instead of the workload's.
    std::optional<Distribution> distribution = std::nullopt;
    double absent_share = 0;  // of the reads, looking up absent keys
    uint64_t operations = 0;  // of all threads
    uint64_t seed = 0;
  };
  // `mix` and `records` must outlive it.
  OperationSource(const Mix& mix, const Settings& settings,
                  const Records* records);
  Operation Next();

 private:
  const Mix& mix_;
  const double absent_share_;
  const Records* const records_;
  Random random_;
  const std::unique_ptr<Chooser> chooser_;
};

}  // namespace tamis::ycsb
