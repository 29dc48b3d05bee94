// SPDX-License-Identifier: Apache-2.0
#include "tools/peers/stores_mode.h"

#include <filesystem>
#include <functional>
#include <string_view>
#include <unordered_set>

#include "tools/peers/bench_keys.h"
#include "tools/peers/write_workloads.h"
#include "tools/store_counter.h"
#include "util/base/random.h"

namespace tamis::peers {

namespace {

constexpr size_t kKeysOfCall = 64;
constexpr int kUncounted = 3;

// What one thread reads with. Each run reads the same keys.
class Reads {
 public:
  Reads(Engine& engine, const WorkloadConfig& work) : engine_(engine) {
    Random random(work.seed);
    KeyWriter key(work.key_size);
    for (uint64_t i = 0; i < work.reads; ++i) {
      const uint64_t number = 2 * random.Uniform(work.num);
      present_.emplace_back(key.Write(number));
      absent_.emplace_back(key.Write(number + 1));
    }
  }

  void Get() { Find(present_, true); }
  void GetAbsent() { Find(absent_, false); }
  void MultiGet() {
    for (size_t at = 0; at + kKeysOfCall <= present_.size();
         at += kKeysOfCall) {
      for (size_t i = 0; i < kKeysOfCall; ++i) batch_[i] = present_[at + i];
      Require(engine_.MultiGet(batch_) == kKeysOfCall, "MultiGet missed a key");
    }
  }
  void Seek() {
    if (cursor_ == nullptr) cursor_ = engine_.NewCursor();
    for (const std::string& key : present_) {
      cursor_->Seek(key);
      Require(cursor_->Valid(), "a seek found nothing");
    }
  }
  void SeekNew() {
    for (const std::string& key : present_) {
      const auto cursor = engine_.NewCursor();
      cursor->Seek(key);
      Require(cursor->Valid(), "a seek found nothing");
    }
  }
  void Next() {
    if (cursor_ == nullptr) cursor_ = engine_.NewCursor();
    cursor_->Seek(first_);
    for (size_t i = 0; i < present_.size(); ++i) {
      Require(cursor_->Valid(), "a scan ended early");
      cursor_->Next();
    }
  }

 private:
  void Find(const std::vector<std::string>& keys, bool expected) {
    for (const std::string& key : keys) {
      Require(engine_.Get(key, &value_) == expected, "a wrong answer to a Get");
    }
  }

  Engine& engine_;
  std::vector<std::string> present_;
  std::vector<std::string> absent_;
  std::string_view batch_[kKeysOfCall];
  std::string value_;
  const std::string first_;
  std::unique_ptr<Cursor> cursor_;
};

struct Kind {
  const char* name;
  void (Reads::*run)();
};
constexpr Kind kKinds[] = {
    {"get", &Reads::Get},
    {"get, absent", &Reads::GetAbsent},
    {"multiget of 64, per key", &Reads::MultiGet},
    {"seek", &Reads::Seek},
    {"seek, a new iterator", &Reads::SeekNew},
    {"next", &Reads::Next},
};

std::vector<FlatCell> StoresRow(Engine& engine, const WorkloadConfig& work,
                                const Kind& kind) {
  const SharedStores stores = CountSharedStores(
      [&]() -> std::function<void()> {
        const auto reads = std::make_shared<Reads>(engine, work);
        return [reads, run = kind.run] { ((*reads).*run)(); };
      },
      kUncounted);
  std::unordered_set<uintptr_t> lines;
  for (const CountedStore& store : stores.shared) lines.insert(store.line);
  const auto operations = static_cast<double>(work.reads);
  return {engine.name(), kind.name,
          static_cast<double>(stores.all) / operations,
          static_cast<double>(stores.shared.size()) / operations,
          static_cast<double>(lines.size())};
}

}  // namespace

FlatTable RunStores(const std::vector<std::unique_ptr<Engine>>& engines,
                    const StoresConfig& config) {
  WorkloadConfig work = config.work;
  work.reads += (kKeysOfCall - work.reads % kKeysOfCall) % kKeysOfCall;
  FlatTable table{
      .name = "stores",
      .settings =
          std::to_string(work.num) + " keys of " +
          std::to_string(work.key_size) + " + " +
          std::to_string(work.value_size) +
          " bytes, all cached, after a full compaction; " +
          std::to_string(work.reads) +
          " operations; stores outside of the stack, per operation; shared: "
          "those to lines that another thread stores to in the same "
          "operations; lines: how many such lines there are",
      .columns = {"engine", "operation", "stores", "shared", "lines"},
      .rows = {}};
  const std::string folder = config.folder + "/stores";
  for (const auto& engine : engines) {
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    engine->Open(folder, config.engine);
    FillRandom(*engine, work);
    engine->CompactAll();
    engine->NewCursor()->ScanForward();  // makes all blocks resident
    for (const Kind& kind : kKinds) {
      table.rows.push_back(StoresRow(*engine, work, kind));
    }
    engine->Close();
    std::filesystem::remove_all(folder);
  }
  return table;
}

}  // namespace tamis::peers
