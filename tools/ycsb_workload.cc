// SPDX-License-Identifier: Apache-2.0
#include "tools/ycsb_workload.h"

#include <charconv>
#include <iterator>

namespace tamis::ycsb {

namespace {

constexpr Mix kMixes[] = {
    {.name = 'a',
     .reads = 50,
     .updates = 50,
     .inserts = 0,
     .scans = 0,
     .read_modify_writes = 0,
     .distribution = Distribution::kScrambledZipfian},
    {.name = 'b',
     .reads = 95,
     .updates = 5,
     .inserts = 0,
     .scans = 0,
     .read_modify_writes = 0,
     .distribution = Distribution::kScrambledZipfian},
    {.name = 'c',
     .reads = 100,
     .updates = 0,
     .inserts = 0,
     .scans = 0,
     .read_modify_writes = 0,
     .distribution = Distribution::kScrambledZipfian},
    {.name = 'd',
     .reads = 95,
     .updates = 0,
     .inserts = 5,
     .scans = 0,
     .read_modify_writes = 0,
     .distribution = Distribution::kLatest},
    {.name = 'e',
     .reads = 0,
     .updates = 0,
     .inserts = 5,
     .scans = 95,
     .read_modify_writes = 0,
     .distribution = Distribution::kScrambledZipfian},
    {.name = 'f',
     .reads = 50,
     .updates = 0,
     .inserts = 0,
     .scans = 0,
     .read_modify_writes = 50,
     .distribution = Distribution::kScrambledZipfian},
};

constexpr uint64_t kAbsent = uint64_t{1} << 62;  // above every record's number

// FNV-1a over the 8 bytes of the number, made positive as YCSB's Java does.
uint64_t HashOf(uint64_t number) {
  uint64_t hash = 0xcbf29ce484222325;
  for (int i = 0; i < 8; ++i) {
    hash = (hash ^ (number >> (8 * i) & 0xff)) * 0x100000001b3;
  }
  return hash >> 63 == 0 ? hash : 0 - hash;
}

}  // namespace

const Mix* FindMix(char name) {
  for (const Mix& mix : kMixes) {
    if (mix.name == name) return &mix;
  }
  return nullptr;
}

std::string_view KeyMaker::Make(uint64_t number) {
  char digits[20];
  const auto written = std::to_chars(digits, std::end(digits), HashOf(number));
  key_.assign("user").append(digits, written.ptr);
  return key_;
}

std::string_view KeyMaker::MakeAbsent(uint64_t number) {
  return Make(number | kAbsent);
}

void Records::Inserted(uint64_t number) {
  const std::lock_guard<std::mutex> lock(mutex_);
  early_.insert(number);
  uint64_t present = present_.load(std::memory_order_relaxed);
  for (; !early_.empty() && *early_.begin() == present; ++present) {
    early_.erase(early_.begin());
  }
  present_.store(present, std::memory_order_release);
}

// As in YCSB, the distribution includes twice the inserts to be expected, so
// that the popularity of a record does not change with them.
OperationSource::OperationSource(const Mix& mix, const Settings& settings,
                                 const Records* records)
    : mix_(mix),
      absent_share_(settings.absent_share),
      records_(records),
      random_(settings.seed),
      chooser_(NewChooser(
          settings.distribution.value_or(mix.distribution),
          records->present() +
              settings.operations * static_cast<uint64_t>(mix.inserts) / 50)) {}

Operation OperationSource::Next() {
  Operation operation;
  const auto draw = static_cast<int>(random_.Uniform(100));
  if (draw < mix_.reads) {
    operation.kind = Kind::kRead;
    if (static_cast<double>(random_.Next() >> 11) * 0x1p-53 < absent_share_) {
      operation.absent = true;
      operation.number = random_.Next() >> 2;
      return operation;
    }
  } else if (draw < mix_.reads + mix_.updates) {
    operation.kind = Kind::kUpdate;
  } else if (draw < mix_.reads + mix_.updates + mix_.scans) {
    operation.kind = Kind::kScan;
    operation.scan_length = 1 + random_.Uniform(kLongestScan);
  } else if (draw <
             mix_.reads + mix_.updates + mix_.scans + mix_.read_modify_writes) {
    operation.kind = Kind::kReadModifyWrite;
  } else {
    operation.kind = Kind::kInsert;
    return operation;
  }
  operation.number = chooser_->Next(records_->present(), &random_);
  return operation;
}

}  // namespace tamis::ycsb
