// SPDX-License-Identifier: Apache-2.0
#include "tools/peers/ycsb_workloads.h"

#include <string>

#include "tools/bench_data.h"
#include "tools/peers/bench_keys.h"
#include "tools/ycsb_workload.h"

namespace tamis::peers {

namespace {

// Does the operations on one engine. One thread.
class Client {
 public:
  Client(Engine& engine, const WorkloadConfig& config)
      : engine_(engine),
        loaded_(config.num),
        key_(config.key_size),
        inserted_(config.num, config.seed),
        values_(static_cast<size_t>(config.value_size), config.seed) {}

  void Read(uint64_t record) {
    if (!engine_.Get(KeyOf(record), &value_)) [[unlikely]] {
      Fail(engine_.name() + ": record " + std::to_string(record) +
           " is missing");
    }
  }
  void Write(uint64_t record) {
    engine_.Put(KeyOf(record), values_.Next(), /*sync=*/false);
  }
  void Scan(uint64_t record, uint64_t entries) {
    const auto cursor = engine_.NewCursor();
    cursor->Seek(KeyOf(record));
    uint64_t seen = 0;
    for (; seen < entries && cursor->Valid(); ++seen, cursor->Next()) {
      cursor->EntryBytes();
    }
    if (seen == 0) [[unlikely]] {
      Fail(engine_.name() + ": a scan saw nothing");
    }
  }

 private:
  std::string_view KeyOf(uint64_t record) {
    if (record < loaded_) return key_.Write(2 * record);
    return key_.Write(2 * inserted_[(record - loaded_) % loaded_] + 1);
  }

  Engine& engine_;
  const uint64_t loaded_;
  KeyWriter key_;
  const Shuffle inserted_;
  ValuePool values_;
  std::string value_;
};

}  // namespace

uint64_t RunYcsb(char mix, Engine& engine, const WorkloadConfig& config) {
  Client client(engine, config);
  ycsb::Records records(config.num);
  ycsb::OperationSource source(*ycsb::FindMix(mix),
                               {.distribution = {},
                                .absent_share = 0,
                                .operations = config.reads,
                                .seed = config.seed},
                               &records);
  for (uint64_t i = 0; i < config.reads; ++i) {
    const ycsb::Operation operation = source.Next();
    switch (operation.kind) {
      case ycsb::Kind::kRead:
        client.Read(operation.number);
        break;
      case ycsb::Kind::kUpdate:
        client.Write(operation.number);
        break;
      case ycsb::Kind::kInsert: {
        const uint64_t record = records.StartInsert();
        client.Write(record);
        records.Inserted(record);
        break;
      }
      case ycsb::Kind::kScan:
        client.Scan(operation.number, operation.scan_length);
        break;
      case ycsb::Kind::kReadModifyWrite:
        client.Read(operation.number);
        client.Write(operation.number);
        break;
    }
  }
  return config.reads;
}

}  // namespace tamis::peers
