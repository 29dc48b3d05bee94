// SPDX-License-Identifier: Apache-2.0
//
// The benchmark's interface to an engine, with one thin adapter per engine, so
// that workloads run the same code for all.
//
// Errors of an engine end the program, since measuring them is meaningless. One
// thread, except for Get.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tamis::peers {

// Settings common to all engines.
struct EngineConfig {
  size_t write_buffer_bytes = 64 << 20;
  size_t cache_bytes = size_t{4} << 30;
  int bloom_bits = 10;
  bool snappy = true;
};

// Iterates over the keys in order.
class Cursor {
 public:
  virtual ~Cursor() = default;
  virtual void SeekToFirst() = 0;
  virtual void SeekToLast() = 0;
  virtual void Seek(std::string_view key) = 0;
  virtual bool Valid() = 0;
  virtual void Next() = 0;
  virtual void Prev() = 0;
  // Size of key and value, so that both are really read.
  virtual size_t EntryBytes() = 0;
};

class Engine {
 public:
  virtual ~Engine() = default;
  virtual std::string name() const = 0;
  // Creates a database in an empty directory.
  virtual void Create(const std::string& directory,
                      const EngineConfig& config) = 0;
  // Writes to the log without syncing.
  virtual void Put(std::string_view key, std::string_view value) = 0;
  virtual bool Get(std::string_view key, std::string* value) = 0;
  // Returns the number of keys found; reads and discards their values. Uses the
  // engine's own MultiGet; LevelDB has none and reads key by key.
  virtual size_t MultiGet(std::span<const std::string_view> keys) = 0;
  virtual std::unique_ptr<Cursor> NewCursor() = 0;
  // Flushes, and compacts everything to one sorted run.
  virtual void Settle() = 0;
  virtual void Close() = 0;
};

std::unique_ptr<Engine> NewTamisEngine();
std::unique_ptr<Engine> NewRocksDBEngine();
std::unique_ptr<Engine> NewLevelDBEngine();

// If `ok` is false, prints the message and exits.
void Require(bool ok, const std::string& message);

// Cursor over an iterator with RocksDB's interface, as LevelDB and Tamis have.
template <typename Iterator>
class IteratorCursor final : public Cursor {
 public:
  explicit IteratorCursor(Iterator* iterator) : iterator_(iterator) {}
  void SeekToFirst() override { iterator_->SeekToFirst(); }
  void SeekToLast() override { iterator_->SeekToLast(); }
  void Seek(std::string_view key) override {
    iterator_->Seek({key.data(), key.size()});
  }
  bool Valid() override {
    if (iterator_->Valid()) return true;
    Require(iterator_->status().ok(), iterator_->status().ToString());
    return false;
  }
  void Next() override { iterator_->Next(); }
  void Prev() override { iterator_->Prev(); }
  size_t EntryBytes() override {
    return iterator_->key().size() + iterator_->value().size();
  }

 private:
  const std::unique_ptr<Iterator> iterator_;
};

}  // namespace tamis::peers
