// SPDX-License-Identifier: Apache-2.0
//
// What a benchmark asks of an engine, whichever it is. One thin adapter each,
// so that the workloads' code is the same for all.
//
// A failure of an engine ends the program: a benchmark over errors says
// nothing. One thread, but for Get.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tamis::peers {

// What every engine is given alike.
struct EngineConfig {
  size_t write_buffer_bytes = 64 << 20;
  size_t cache_bytes = size_t{4} << 30;
  int bloom_bits = 10;
  bool snappy = true;
};

// A walk over the keys in order.
class Cursor {
 public:
  virtual ~Cursor() = default;
  virtual void SeekToFirst() = 0;
  virtual void SeekToLast() = 0;
  virtual void Seek(std::string_view key) = 0;
  virtual bool Valid() = 0;
  virtual void Next() = 0;
  virtual void Prev() = 0;
  // Bytes of key and value, so that both are really produced.
  virtual size_t EntryBytes() = 0;
};

class Engine {
 public:
  virtual ~Engine() = default;
  virtual std::string name() const = 0;
  // A new database in an empty directory.
  virtual void Create(const std::string& directory,
                      const EngineConfig& config) = 0;
  // Logged, not synced.
  virtual void Put(std::string_view key, std::string_view value) = 0;
  virtual bool Get(std::string_view key, std::string* value) = 0;
  // How many of the keys are there. Values are produced and let go again; one
  // call of the engine's own, where it has one: LevelDB gets key by key.
  virtual size_t MultiGet(std::span<const std::string_view> keys) = 0;
  virtual std::unique_ptr<Cursor> NewCursor() = 0;
  // Everything in tables, compacted to one sorted run.
  virtual void Settle() = 0;
  virtual void Close() = 0;
};

std::unique_ptr<Engine> NewTamisEngine();
std::unique_ptr<Engine> NewRocksDBEngine();
std::unique_ptr<Engine> NewLevelDBEngine();

// Ends the program with the message when `ok` is false.
void Require(bool ok, const std::string& message);

// Cursor over an iterator of RocksDB's shape, which LevelDB and Tamis share.
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
