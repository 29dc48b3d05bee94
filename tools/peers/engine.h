// SPDX-License-Identifier: Apache-2.0
//
// Engine is the benchmark's interface to an engine. Each engine has a thin
// adapter, so that workloads run the same code for all. An operation that
// succeeds costs a virtual call and a comparison in the adapter.
//
// Errors of an engine end the program, since measuring them is meaningless.
// Get, MultiGet, Put and NewCursor may be called by several threads at once;
// each other function by one thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tamis::peers {

enum class Compression : uint8_t { kNone, kSnappy, kLz4, kZstd };

// Sets *compression to "none", "snappy", "lz4" or "zstd". Returns false if the
// name is none of these.
bool ParseCompression(std::string_view name, Compression* compression);
const char* NameOf(Compression compression);

// Settings common to all engines.
struct EngineConfig {
  size_t write_buffer_bytes = 64 << 20;
  size_t cache_bytes = size_t{4} << 30;
  int bloom_bits = 10;
  Compression compression = Compression::kSnappy;
  // Tables are mapped into memory instead of read with pread. LevelDB always
  // maps its first 1000 tables.
  bool mmap_reads = false;
  // Counts the memory of open tables (indexes and filters) as usage of the
  // cache. Tamis always counts it, LevelDB never.
  bool charge_tables = false;
  // Charges memtables to the cache, too, and limits them to write_buffer_bytes.
  bool shared_budget = false;
  // The threads for each compressed table and the number of background jobs. 0
  // means the engine's default. LevelDB has neither setting.
  uint32_t parallel_threads = 0;
  int max_background_jobs = 0;
  // The size in bytes of a table that a compaction writes. 0 means the engine's
  // default.
  size_t table_bytes = 0;
  bool statistics = false;  // whether BlockRequests counts
};

// Applies the settings whose options RocksDB and Tamis name alike.
template <typename Options>
void ApplySettings(const EngineConfig& config, Options* options) {
  options->create_if_missing = true;
  options->write_buffer_size = config.write_buffer_bytes;
  if (config.parallel_threads != 0) {
    options->compression_opts.parallel_threads = config.parallel_threads;
  }
  if (config.max_background_jobs != 0) {
    options->max_background_jobs = config.max_background_jobs;
  }
  options->allow_mmap_reads = config.mmap_reads;
  if (config.table_bytes != 0) {
    options->target_file_size_base = config.table_bytes;
  }
}

// Prints the message and exits.
[[noreturn]] void Fail(const std::string& message);

// How many threads an engine starts for flushes and compactions.
struct BackgroundThreads {
  int flush = 0;
  int compaction = 0;  // these threads flush, too, if `flush` is 0
  uint32_t parallel_threads = 1;
};

// Iterates over the keys in order.
class Cursor {
 public:
  struct Scanned {
    uint64_t entries = 0;
    uint64_t bytes = 0;  // of keys and values
  };
  virtual ~Cursor() = default;
  virtual void Seek(std::string_view key) = 0;
  // Returns whether the cursor is at an entry. An error ends the program.
  virtual bool Valid() = 0;
  // Reads the entry and returns the size of key and value.
  virtual size_t EntryBytes() = 0;
  virtual void Next() = 0;
  // Reads all entries in order, or all in reverse order.
  virtual Scanned ScanForward() = 0;
  virtual Scanned ScanBackward() = 0;
};

using Entry = std::pair<std::string_view, std::string_view>;

class Engine {
 public:
  virtual ~Engine() = default;
  virtual std::string name() const = 0;
  // Names a setting of `config` that the engine does not support. Returns an
  // empty string if it supports all.
  virtual std::string Lacks(const EngineConfig& config) const = 0;
  virtual BackgroundThreads Threads(const EngineConfig& config) const = 0;
  // Opens the database in the directory, or creates it.
  virtual void Open(const std::string& directory,
                    const EngineConfig& config) = 0;
  // Writes the entry, with a log. If `sync`, waits until the device has stored
  // the log.
  virtual void Put(std::string_view key, std::string_view value, bool sync) = 0;
  // Writes all entries as one batch, without syncing.
  virtual void PutBatch(std::span<const Entry> entries) = 0;
  virtual void Delete(std::string_view key) = 0;
  // Whether the engine has merges. REQUIRES of Merge: it has.
  virtual bool HasMerge() const { return false; }
  // Adds `amount` to the counter of the key (CounterOperator).
  virtual void Merge(std::string_view /*key*/, uint64_t /*amount*/) {
    Fail(name() + " has no merges");
  }
  // Whether the engine has range deletions, and a flush that is not a
  // compaction. REQUIRES of the next two: it has.
  virtual bool HasDeleteRange() const { return false; }
  virtual void DeleteRange(std::string_view /*begin*/,
                           std::string_view /*end*/) {
    Fail(name() + " has no range deletions");
  }
  virtual void Flush() { Fail(name() + " has no flush alone"); }
  // Returns a number that the engine tells under this name; 0 if it tells none.
  virtual uint64_t IntProperty(const std::string& /*name*/) { return 0; }
  // Returns whether the key is present. Sets *value if it is.
  virtual bool Get(std::string_view key, std::string* value) = 0;
  // Returns the number of keys found. Reads and discards their values. Calls
  // the engine's own MultiGet; LevelDB has none and reads key by key.
  virtual size_t MultiGet(std::span<const std::string_view> keys) = 0;
  virtual std::unique_ptr<Cursor> NewCursor() = 0;
  // Flushes, and compacts everything to one sorted run.
  virtual void CompactAll() = 0;
  // Returns how many blocks reads have looked up in the cache since Open, or
  // nullopt if the engine does not count them. REQUIRES: config.statistics
  virtual std::optional<uint64_t> BlockRequests() { return std::nullopt; }
  // Closes the database, if one is open.
  virtual void Close() = 0;
};

std::unique_ptr<Engine> NewTamisEngine();
std::unique_ptr<Engine> NewRocksDBEngine();
std::unique_ptr<Engine> NewLevelDBEngine();

// If `ok` is false, prints the message and exits.
inline void Require(bool ok, const char* message) {
  if (!ok) [[unlikely]] {
    Fail(message);
  }
}

// If the status is an error, prints it and exits.
template <typename AnyStatus>
void Check(const AnyStatus& status, const char* engine) {
  if (!status.ok()) [[unlikely]] {
    Fail(std::string(engine) + ": " + status.ToString());
  }
}

// A merge operator that adds 64-bit integers in the machine's byte order.
// RocksDB and Tamis name its base and its arguments alike.
template <typename Base, typename Slice, typename Logger>
class CounterOperator final : public Base {
 public:
  static std::string Operand(uint64_t amount) {
    return {reinterpret_cast<const char*>(&amount), sizeof(amount)};
  }
  bool Merge(const Slice& /*key*/, const Slice* existing, const Slice& operand,
             std::string* result, Logger* /*logger*/) const override {
    const uint64_t before = existing == nullptr ? 0 : Number(*existing);
    *result = Operand(before + Number(operand));
    return true;
  }
  const char* Name() const override { return "bench.Counter"; }

 private:
  static uint64_t Number(const Slice& bytes) {
    uint64_t number = 0;
    std::memcpy(&number, bytes.data(), std::min(sizeof(number), bytes.size()));
    return number;
  }
};

// A cursor over an iterator with RocksDB's interface, which LevelDB and Tamis
// share.
template <typename Iterator>
class IteratorCursor final : public Cursor {
 public:
  IteratorCursor(Iterator* iterator, const char* engine)
      : engine_(engine), iterator_(iterator) {}
  void Seek(std::string_view key) override {
    iterator_->Seek({key.data(), key.size()});
  }
  bool Valid() override {
    if (iterator_->Valid()) return true;
    Check(iterator_->status(), engine_);
    return false;
  }
  size_t EntryBytes() override { return Bytes(); }
  void Next() override { iterator_->Next(); }
  Scanned ScanForward() override {
    Scanned scanned;
    for (iterator_->SeekToFirst(); iterator_->Valid(); iterator_->Next()) {
      ++scanned.entries;
      scanned.bytes += Bytes();
    }
    Check(iterator_->status(), engine_);
    return scanned;
  }
  Scanned ScanBackward() override {
    Scanned scanned;
    for (iterator_->SeekToLast(); iterator_->Valid(); iterator_->Prev()) {
      ++scanned.entries;
      scanned.bytes += Bytes();
    }
    Check(iterator_->status(), engine_);
    return scanned;
  }

 private:
  size_t Bytes() const {
    return iterator_->key().size() + iterator_->value().size();
  }

  const char* const engine_;
  const std::unique_ptr<Iterator> iterator_;
};

}  // namespace tamis::peers
