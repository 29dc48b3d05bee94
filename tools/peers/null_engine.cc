// SPDX-License-Identifier: Apache-2.0
#include "tools/peers/null_engine.h"

#include <set>
#include <string>

namespace tamis::peers {

namespace {

class NullCursor final : public Cursor {
 public:
  explicit NullCursor(uint64_t keys) : keys_(keys) {}
  void Seek(std::string_view key) override { bytes_ = key.size(); }
  bool Valid() override { return true; }
  size_t EntryBytes() override { return bytes_; }
  void Next() override {}
  Scanned ScanForward() override { return {.entries = keys_, .bytes = keys_}; }
  Scanned ScanBackward() override { return ScanForward(); }

 private:
  const uint64_t keys_;
  size_t bytes_ = 0;
};

class NullEngine final : public Engine {
 public:
  explicit NullEngine(uint64_t keys) : keys_(keys) {}
  std::string name() const override { return "null"; }
  std::string Lacks(const EngineConfig&) const override { return ""; }
  BackgroundThreads Threads(const EngineConfig&) const override { return {}; }
  void Open(const std::string&, const EngineConfig&) override {
    inserted_.clear();
  }
  void Put(std::string_view key, std::string_view, bool) override {
    if (!IsLoaded(key)) inserted_.emplace(key);
  }
  void PutBatch(std::span<const Entry>) override {}
  void Delete(std::string_view) override {}
  bool HasMerge() const override { return true; }
  void Merge(std::string_view, uint64_t) override {}
  bool HasDeleteRange() const override { return true; }
  void DeleteRange(std::string_view, std::string_view) override {}
  bool Get(std::string_view key, std::string*) override {
    return IsLoaded(key) || inserted_.contains(std::string(key));
  }
  size_t MultiGet(std::span<const std::string_view> keys) override {
    return keys.size();
  }
  std::unique_ptr<Cursor> NewCursor() override {
    return std::make_unique<NullCursor>(keys_);
  }
  void CompactAll() override {}
  void Close() override {}

 private:
  static bool IsLoaded(std::string_view key) {
    return (key.back() - '0') % 2 == 0;
  }

  const uint64_t keys_;
  std::set<std::string> inserted_;
};

}  // namespace

std::unique_ptr<Engine> NewNullEngine(uint64_t keys) {
  return std::make_unique<NullEngine>(keys);
}

}  // namespace tamis::peers
