// SPDX-License-Identifier: Apache-2.0
//
// Time an entry (per_entry) of a memtable, without and with a filter of ten
// bits a key, and of the skip list that memtables were before:
//   tamis_micro_bench --benchmark_filter=MemTable
//       --benchmark_enable_random_interleaving=true
//       --benchmark_repetitions=5
// 600,000 entries with keys of sixteen digits and values of 100 bytes. Keys and
// the order of reads are prepared outside of the measured time, which includes
// the fresh pages that a fill takes from the system.
#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <benchmark/benchmark.h>

#include "db/memtable/memtable.h"
#include "tests/bench/per_entry.h"
#include "tests/bench/skiplist.h"
#include "util/base/random.h"

namespace tamis {
namespace {

constexpr size_t kEntries = 600'000;
constexpr uint64_t kKeySpace = 2'000'000;
constexpr size_t kReads = 300'000;
constexpr size_t kKeyBytes = 16;

// All keys, concatenated.
class Keys {
 public:
  void Add(uint64_t number, char last = '\0') {
    std::string key(kKeyBytes, '0');
    for (size_t i = key.size(); number > 0; number /= 10) {
      key[--i] = static_cast<char>('0' + number % 10);
    }
    if (last != '\0') key.back() = last;
    bytes_ += key;
  }
  size_t size() const { return bytes_.size() / kKeyBytes; }
  Slice operator[](size_t i) const {
    return {bytes_.data() + i * kKeyBytes, kKeyBytes};
  }

 private:
  std::string bytes_;
};

Keys RandomKeys() {
  Random random(1);
  Keys keys;
  for (size_t i = 0; i < kEntries; ++i) keys.Add(random.Uniform(kKeySpace));
  return keys;
}

Keys AscendingKeys() {
  Keys keys;
  for (size_t i = 0; i < kEntries; ++i) keys.Add(i);
  return keys;
}

// Returns the keys of RandomKeys in another order, or an absent key next to
// each.
Keys KeysToRead(bool present) {
  const Keys all = RandomKeys();
  Random random(7);
  Keys keys;
  for (size_t i = 0; i < kReads; ++i) {
    const Slice key = all[random.Uniform(all.size())];
    keys.Add(std::stoull(key.ToString()), present ? '\0' : 'x');
  }
  return keys;
}

// What is measured, with the same interface.
class Tree {
 public:
  explicit Tree(size_t bloom_bytes = 0)
      : table_(KeyOrder(BytewiseComparator()), 0, FileNumber(1), bloom_bytes) {}
  void Add(SequenceNumber sequence, const Slice& key, const Slice& value) {
    table_.Add(sequence, kTypeValue, key, value);
  }
  void Get(const LookupKey& key, GetContext* context) const {
    table_.Get(key, FilterKey(key.user_key()), context);
  }
  size_t ScanForward() const {
    size_t bytes = 0;
    const auto it = table_.NewIterator();
    for (it->SeekToFirst(); it->Valid(); it->Next()) bytes += Look(*it);
    return bytes;
  }
  size_t ScanBackward() const {
    size_t bytes = 0;
    const auto it = table_.NewIterator();
    for (it->SeekToLast(); it->Valid(); it->Prev()) bytes += Look(*it);
    return bytes;
  }
  size_t MemoryUsage() const { return table_.ApproximateMemoryUsage(); }

 private:
  static size_t Look(const InternalIterator& it) {
    return it.key().size() + static_cast<uint8_t>(it.value()[0]);
  }
  MemTable table_;
};

class FilteredTree : public Tree {
 public:
  FilteredTree() : Tree(kEntries * 10 / 8) {}
};

class List {
 public:
  void Add(SequenceNumber sequence, const Slice& key, const Slice& value) {
    list_.Insert(key, PackSequenceAndType(sequence, kTypeValue), value);
  }
  void Get(const LookupKey& key, GetContext* context) const {
    for (const SkipList::Node* node = list_.Seek(key.internal_key());
         node != nullptr; node = list_.Next(node)) {
      ParsedInternalKey parsed;
      if (!ParseInternalKey(node->key(), &parsed) ||
          parsed.user_key != key.user_key() ||
          !context->Consume(parsed, node->value(), nullptr)) {
        return;
      }
    }
  }
  size_t ScanForward() const {
    size_t bytes = 0;
    for (const SkipList::Node* node = list_.First(); node != nullptr;
         node = list_.Next(node)) {
      bytes += Look(*node);
    }
    return bytes;
  }
  size_t ScanBackward() const {
    size_t bytes = 0;
    for (const SkipList::Node* node = list_.Last(); node != nullptr;
         node = list_.Prev(node)) {
      bytes += Look(*node);
    }
    return bytes;
  }
  size_t MemoryUsage() const { return arena_.MemoryUsage(); }

 private:
  static size_t Look(const SkipList::Node& node) {
    return node.key().size() + static_cast<uint8_t>(node.value()[0]);
  }
  Arena arena_;
  SkipList list_{KeyOrder(BytewiseComparator()), &arena_};
};

template <typename Table>
void Fill(const Keys& keys, Table* table,
          std::atomic<size_t>* added = nullptr) {
  const std::string value(100, 'v');
  for (size_t i = 0; i < keys.size(); ++i) {
    table->Add(i + 1, keys[i], value);
    if (added != nullptr) added->store(i + 1, std::memory_order_release);
  }
}

template <typename Table>
std::unique_ptr<Table> Filled() {
  auto table = std::make_unique<Table>();
  Fill(RandomKeys(), table.get());
  return table;
}

template <typename Table>
size_t ReadAll(const Table& table, const Keys& keys) {
  size_t found = 0;
  PinnableSlice value;
  for (size_t i = 0; i < keys.size(); ++i) {
    value.Reset();
    GetContext context(&value);
    table.Get(LookupKey(keys[i], kMaxSequenceNumber), &context);
    if (context.state() == GetContext::State::kFound) ++found;
  }
  return found;
}

template <typename Table>
void MemTableFill(benchmark::State& state, bool ascending) {
  const Keys keys = ascending ? AscendingKeys() : RandomKeys();
  size_t bytes = 0;
  for (auto _ : state) {
    auto table = std::make_unique<Table>();
    Fill(keys, table.get());
    state.PauseTiming();
    bytes = table->MemoryUsage();
    table.reset();
    state.ResumeTiming();
  }
  ReportPerEntry(state, keys.size());
  state.counters["bytes_per_entry"] =
      static_cast<double>(bytes) / static_cast<double>(keys.size());
}

template <typename Table>
void MemTableGet(benchmark::State& state, bool present) {
  const auto table = Filled<Table>();
  const Keys keys = KeysToRead(present);
  for (auto _ : state) {
    if (ReadAll(*table, keys) != (present ? keys.size() : 0)) {
      state.SkipWithError("wrong answers");
    }
  }
  ReportPerEntry(state, keys.size());
}

template <typename Table>
void MemTableScan(benchmark::State& state, bool back) {
  const auto table = Filled<Table>();
  for (auto _ : state) {
    benchmark::DoNotOptimize(back ? table->ScanBackward()
                                  : table->ScanForward());
  }
  ReportPerEntry(state, kEntries);
}

// Measures the writer. `reads_per_write` counts the reads of the reader
// meanwhile.
template <typename Table>
void MemTableFillWhileReading(benchmark::State& state, bool scan) {
  const Keys keys = RandomKeys();
  const Keys asked = KeysToRead(true);
  size_t reads = 0;
  for (auto _ : state) {
    state.PauseTiming();
    auto table = std::make_unique<Table>();
    std::atomic<bool> stop{false};
    std::atomic<size_t> done{0};
    std::thread reader([&] {
      PinnableSlice value;
      size_t i = 0;
      for (; !stop.load(std::memory_order_relaxed); ++i) {
        if (scan) {
          benchmark::DoNotOptimize(table->ScanForward());
          continue;
        }
        value.Reset();
        GetContext context(&value);
        table->Get(LookupKey(asked[i % asked.size()], kMaxSequenceNumber),
                   &context);
      }
      done = i;
    });
    state.ResumeTiming();
    Fill(keys, table.get());
    state.PauseTiming();
    stop = true;
    reader.join();
    reads = done;
    table.reset();
    state.ResumeTiming();
  }
  ReportPerEntry(state, keys.size());
  state.counters["reads_per_write"] =
      static_cast<double>(reads) / static_cast<double>(keys.size());
}

double Least(const std::vector<double>& values) {
  return *std::min_element(values.begin(), values.end());
}

struct Row {
  const char* name;
  void (*run)(benchmark::State&, bool);
  bool argument;
};

void Register(const std::vector<Row>& rows, const std::string& table) {
  for (const auto& [name, run, argument] : rows) {
    benchmark::RegisterBenchmark((name + ("/" + table)).c_str(), run, argument)
        ->Unit(benchmark::kMillisecond)
        ->ComputeStatistics("min", Least);
  }
}

template <typename Table>
std::vector<Row> PointRows() {
  return {
      {"MemTableFill/random", MemTableFill<Table>, false},
      {"MemTableFill/ascending", MemTableFill<Table>, true},
      {"MemTableGet/hit", MemTableGet<Table>, true},
      {"MemTableGet/miss", MemTableGet<Table>, false},
  };
}

template <typename Table>
std::vector<Row> OtherRows() {
  return {
      {"MemTableScan/forward", MemTableScan<Table>, false},
      {"MemTableScan/backward", MemTableScan<Table>, true},
      {"MemTableFill/while_getting", MemTableFillWhileReading<Table>, false},
      {"MemTableFill/while_scanning", MemTableFillWhileReading<Table>, true},
  };
}

[[maybe_unused]] const bool registered = [] {
  Register(PointRows<Tree>(), "tree");
  Register(OtherRows<Tree>(), "tree");
  Register(PointRows<FilteredTree>(), "filtered_tree");
  Register(PointRows<List>(), "skip_list");
  Register(OtherRows<List>(), "skip_list");
  return true;
}();

}  // namespace
}  // namespace tamis
