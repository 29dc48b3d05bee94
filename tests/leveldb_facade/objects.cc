// SPDX-License-Identifier: Apache-2.0
//
// What a program gives to a database: comparator, filter policy, cache, logger;
// and the same objects used by themselves.
#include <cstdarg>
#include <map>
#include <mutex>

#include <leveldb/cache.h>
#include <leveldb/comparator.h>
#include <leveldb/env.h>
#include <leveldb/filter_policy.h>

#include "program.h"

namespace {

using namespace leveldb;

// By number.
class ByNumber : public Comparator {
 public:
  int Compare(const Slice& a, const Slice& b) const override {
    ++calls;
    const long x = std::atol(a.ToString().c_str());
    const long y = std::atol(b.ToString().c_str());
    return x < y ? -1 : x > y ? 1 : 0;
  }
  const char* Name() const override { return "test.ByNumber"; }
  void FindShortestSeparator(std::string*, const Slice&) const override {}
  void FindShortSuccessor(std::string*) const override {}
  mutable long calls = 0;
};

// Every key of the filter, one after the other.
class ListPolicy : public FilterPolicy {
 public:
  const char* Name() const override { return "test.List"; }
  void CreateFilter(const Slice* keys, int n, std::string* dst) const override {
    ++filters;
    for (int i = 0; i < n; ++i) *dst += keys[i].ToString() + ";";
  }
  bool KeyMayMatch(const Slice& key, const Slice& filter) const override {
    ++probes;
    return filter.ToString().find(key.ToString() + ";") != std::string::npos;
  }
  mutable long filters = 0;
  mutable long probes = 0;
};

class CountingLogger : public Logger {
 public:
  void Logv(const char* format, std::va_list ap) override {
    char line[1000];
    std::vsnprintf(line, sizeof(line), format, ap);
    ++lines;
  }
  long lines = 0;
};

void UseFilter(const FilterPolicy& policy) {
  std::string filter;
  const Slice keys[] = {"hello", "world"};
  policy.CreateFilter(keys, 2, &filter);
  std::cout << policy.Name() << " " << filter.size() << " bytes:";
  for (const char c : filter) {
    std::cout << " " << int{static_cast<unsigned char>(c)};
  }
  std::cout << "\n"
            << policy.KeyMayMatch("hello", filter)
            << policy.KeyMayMatch("world", filter)
            << policy.KeyMayMatch("x", filter)
            << policy.KeyMayMatch("foo", filter) << "\n";
}

int deleted = 0;
void Delete(const Slice& key, void* value) {
  deleted += *static_cast<int*>(value) + static_cast<int>(key.size());
}

void UseCache(Cache* cache) {
  int values[] = {100, 200, 300};
  Cache::Handle* first = cache->Insert("one", &values[0], 10, &Delete);
  cache->Release(cache->Insert("two", &values[1], 10, &Delete));
  Cache::Handle* found = cache->Lookup("two");
  std::cout << *static_cast<int*>(cache->Value(found)) << " "
            << (cache->Lookup("three") == nullptr) << " "
            << cache->TotalCharge() << "\n";
  cache->Release(found);
  cache->Erase("one");
  std::cout << (cache->Lookup("one") == nullptr) << deleted << "\n";
  cache->Release(first);
  std::cout << deleted << "\n";
  cache->Release(cache->Insert("two", &values[2], 10, &Delete));
  std::cout << deleted << " " << cache->TotalCharge() << "\n";
  cache->Prune();
  std::cout << deleted << " " << cache->TotalCharge() << "\n";
  const uint64_t id = cache->NewId();
  std::cout << (cache->NewId() != id) << "\n";
}

// A program's own class: keeps all, and counts.
class KeepingCache : public Cache {
 public:
  ~KeepingCache() override {
    for (auto& [key, entry] : entries_) entry.deleter(key, entry.value);
  }
  Handle* Insert(const Slice& key, void* value, size_t charge,
                 void (*deleter)(const Slice& key, void* value)) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    Entry& entry = entries_[key.ToString()];
    if (entry.deleter != nullptr) entry.deleter(key, entry.value);
    entry.value = value;
    entry.deleter = deleter;
    charge_ += charge;
    ++inserts;
    ++held;
    return &entry;
  }
  Handle* Lookup(const Slice& key) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = entries_.find(key.ToString());
    if (found == entries_.end()) return nullptr;
    ++hits;
    ++held;
    return &found->second;
  }
  void Release(Handle*) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    --held;
  }
  void* Value(Handle* handle) override {
    return static_cast<Entry*>(handle)->value;
  }
  void Erase(const Slice&) override {}
  uint64_t NewId() override { return ++ids; }
  size_t TotalCharge() const override { return charge_; }

  long inserts = 0;
  long hits = 0;
  long held = 0;
  uint64_t ids = 0;

 private:
  struct Entry : Handle {
    void* value = nullptr;
    void (*deleter)(const Slice& key, void* value) = nullptr;
  };
  std::mutex mutex_;
  std::map<std::string, Entry> entries_;
  size_t charge_ = 0;
};

void ReadThroughOwnCache(const std::string& path) {
  KeepingCache cache;
  Options options;
  options.create_if_missing = true;
  options.block_cache = &cache;
  std::unique_ptr<DB> db = Open(options, path);
  for (int i = 1000; i < 5000; ++i) {
    Check(db->Put(WriteOptions(), std::to_string(i), std::string(100, 'v')));
  }
  db->CompactRange(nullptr, nullptr);
  const auto get = [&](const char* key, bool fills) {
    ReadOptions read;
    read.fill_cache = fills;
    std::string value;
    Check(db->Get(read, key, &value));
    return value.size();
  };
  std::cout << get("1500", true) << " " << (cache.ids > 0)
            << (cache.inserts > 0) << (cache.TotalCharge() > 0);
  const long inserts = cache.inserts;
  const long hits = cache.hits;
  get("1500", true);
  std::cout << (cache.inserts == inserts) << (cache.hits > hits);
  get("3500", false);
  std::cout << (cache.inserts == inserts);
  get("3500", true);
  std::cout << (cache.inserts > inserts) << (cache.held == 0) << "\n";
  db.reset();
  DestroyDB(path, options);
}

void FillAndRead(const Options& options, const std::string& path) {
  std::unique_ptr<DB> db = Open(options, path);
  for (int i = 0; i < 500; ++i) {
    Check(db->Put(WriteOptions(), std::to_string(i * 7 % 500),
                  std::string(100, 'v')));
  }
  db->CompactRange(nullptr, nullptr);
  for (int i = 0; i < 500; i += 100) {
    std::cout << Get(db.get(), std::to_string(i)).size() << " ";
  }
  std::cout << Get(db.get(), "1000") << Get(db.get(), "77x") << "\n";
  PrintAll(db.get());
}

}  // namespace

int main(int argc, char** argv) {
  const std::string path = DirectoryOf(argc, argv);
  const Comparator* bytewise = BytewiseComparator();
  std::string start = "abcdef";
  bytewise->FindShortestSeparator(&start, "abzzzz");
  std::string successor = "abc";
  bytewise->FindShortSuccessor(&successor);
  std::cout << bytewise->Name() << " " << start << " " << successor << " "
            << (bytewise->Compare("a", "b") < 0)
            << (bytewise == BytewiseComparator()) << "\n";
  const std::unique_ptr<const FilterPolicy> bloom(NewBloomFilterPolicy(10));
  UseFilter(*bloom);
  const std::unique_ptr<Cache> cache(NewLRUCache(1 << 20));
  UseCache(cache.get());

  ByNumber by_number;
  ListPolicy list;
  CountingLogger logger;
  Options options;
  options.create_if_missing = true;
  options.comparator = &by_number;
  options.filter_policy = &list;
  options.block_cache = cache.get();
  options.info_log = &logger;
  options.max_open_files = 100;
  options.block_size = 1000;
  options.block_restart_interval = 4;
  options.max_file_size = 1 << 20;
  options.paranoid_checks = true;
  options.reuse_logs = true;
  FillAndRead(options, path);
  std::cout << (by_number.calls > 0) << (list.filters > 0) << (logger.lines > 0)
            << "\n";
  options.filter_policy = bloom.get();
  options.info_log = nullptr;
  FillAndRead(options, path);
  // Another order than the database has.
  options.comparator = BytewiseComparator();
  DB* db = nullptr;
  std::cout << Kind(DB::Open(options, path, &db)) << "\n";
  options.comparator = &by_number;
  Check(DestroyDB(path, options));
  options.filter_policy = nullptr;
  options.block_cache = nullptr;
  FillAndRead(options, path);
  ReadThroughOwnCache(path + "_cached");
  return 0;
}
