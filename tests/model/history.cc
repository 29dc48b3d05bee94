// SPDX-License-Identifier: Apache-2.0
#include "tests/model/history.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "tamis/utilities/merge_operators.h"

#include "tests/model/filters.h"
#include "tests/support/worker_service.h"
#include "util/base/random.h"
#include "util/compression/compression.h"

namespace tamis::model {

namespace {

class Generator {
 public:
  explicit Generator(uint64_t seed)
      : random_(seed),
        read_mode_draw_(seed),
        style_draw_(seed),
        worker_draw_(~seed),
        keep_draw_(~seed - 1),
        filter_draw_(seed) {
    history_.seed = seed;
  }

  History Make() {
    const Comparator* const order =
        Pick({BytewiseComparator(), BytewiseComparator(),
              ReverseBytewiseComparator(), CaseInsensitiveComparator()});
    history_.description = order->Name();
    const uint64_t variants = Between(1, 3);
    for (uint64_t i = 0; i < variants; ++i) MakeOptions(order);
    MakeKeys();
    kinds_ =
        Pick<Kinds>({{55, 75, 96}, {67, 69, 99}, {30, 80, 97}, {60, 75, 80}});
    const uint64_t count = 120 + random_.Uniform(160);
    // Faults in three histories of four: the rest goes deeper undisturbed.
    faults_ = !random_.OneIn(4);
    for (uint64_t i = 0; i < count; ++i) {
      history_.operations.push_back(MakeOperation());
    }
    return std::move(history_);
  }

 private:
  template <typename T>
  T Pick(std::initializer_list<T> choices) {
    return *(choices.begin() + random_.Uniform(choices.size()));
  }
  uint64_t Between(uint64_t low, uint64_t high) {
    return low + random_.Uniform(high - low + 1);
  }
  void Say(const std::string& name, uint64_t value) {
    history_.description += " " + name + "=" + std::to_string(value);
  }

  void MakeOptions(const Comparator* order) {
    Options o;
    o.comparator = order;
    // The least, and a little more.
    o.write_buffer_size =
        Pick<size_t>({64 << 10, 64 << 10, 64 << 10, 100 << 10});
    o.max_write_buffer_number = static_cast<int>(Between(2, 5));
    const std::vector<CompressionType> codecs = SupportedCompressions();
    o.compression = codecs[random_.Uniform(codecs.size())];
    o.level0_file_num_compaction_trigger = static_cast<int>(Between(1, 5));
    o.level0_slowdown_writes_trigger =
        o.level0_file_num_compaction_trigger + static_cast<int>(Between(0, 4));
    o.level0_stop_writes_trigger =
        o.level0_slowdown_writes_trigger + static_cast<int>(Between(0, 4));
    if (random_.OneIn(10)) {  // unwise, but must not block
      o.level0_slowdown_writes_trigger = static_cast<int>(Between(1, 3));
      o.level0_stop_writes_trigger = static_cast<int>(Between(1, 3));
    }
    o.max_bytes_for_level_base = Pick<uint64_t>({2 << 10, 8 << 10, 64 << 10});
    o.max_bytes_for_level_multiplier = Pick({1.0, 2.0, 4.0, 10.0});
    o.target_file_size_base = Pick<uint64_t>({600, 2 << 10, 16 << 10});
    o.memtable_prefix_bloom_size_ratio = Pick({0.0, 0.05, 0.25});
    o.memtable_whole_key_filtering = random_.OneIn(2);
    o.disable_auto_compactions = random_.OneIn(8);
    o.max_background_jobs = static_cast<int>(Between(1, 4));
    o.max_subcompactions = Pick<uint32_t>({1, 2, 3, 8});
    o.max_log_file_size = Pick<size_t>({2 << 10, 1 << 20});
    o.keep_log_file_num = Between(1, 3);
    const uint64_t mode = read_mode_draw_.Uniform(4);
    o.allow_mmap_reads = mode == 1;
    o.use_direct_reads = mode >= 2;
    history_.description += " |";
    Say("write_buffer", o.write_buffer_size);
    Say("memtables", static_cast<uint64_t>(o.max_write_buffer_number));
    Say("codec", o.compression);
    Say("trigger", static_cast<uint64_t>(o.level0_file_num_compaction_trigger));
    Say("level_base", o.max_bytes_for_level_base);
    Say("file_size", o.target_file_size_base);
    Say("auto", !o.disable_auto_compactions);
    Say("parts", o.max_subcompactions);
    Say("mmap", o.allow_mmap_reads);
    Say("direct", o.use_direct_reads);
    const uint64_t late = random_.Uniform(2);
    if (late != 0) {
      o.merge_operator = NewLateAppendOperator();
    } else {
      o.merge_operator = MergeOperators::CreateStringAppendOperator(",");
    }
    Say("late_merge", late);
    DrawStyle(codecs, &o);
    o.table_factory = MakeTableFactory(&o);
    const bool worker = worker_draw_.OneIn(4);
    const uint64_t divided = worker_draw_.Uniform(8);
    if (divided > 4 && !worker) {
      o.sst_partitioner_factory =
          NewSstPartitionerFixedPrefixFactory(8 * (divided - 4));
    }
    Say("divided", divided);
    if (worker) o.compaction_service = std::make_shared<WorkerService>();
    Say("worker", worker);
    o.avoid_flush_during_recovery = keep_draw_.OneIn(2);
    Say("keep_logs", o.avoid_flush_during_recovery);
    history_.options.push_back(std::move(o));
  }

  // Not kCompactionStyleFIFO, which forgets.
  void DrawStyle(const std::vector<CompressionType>& codecs, Options* o) {
    Random& draw = style_draw_;
    if (draw.OneIn(3)) o->compaction_style = kCompactionStyleUniversal;
    CompactionOptionsUniversal& universal = o->compaction_options_universal;
    universal.allow_trivial_move = draw.OneIn(2);
    universal.max_size_amplification_percent =
        static_cast<unsigned>(draw.Uniform(300));
    universal.min_merge_width = static_cast<unsigned>(2 + draw.Uniform(3));
    universal.max_merge_width =
        universal.min_merge_width + static_cast<unsigned>(draw.Uniform(3));
    universal.compression_size_percent = draw.OneIn(2) ? 50 : -1;
    if (draw.OneIn(2)) {
      universal.stop_style = kCompactionStopStyleSimilarSize;
    }
    o->level_compaction_dynamic_level_bytes = draw.OneIn(2);
    o->compaction_pri = static_cast<CompactionPri>(draw.Uniform(5));
    o->target_file_size_multiplier = static_cast<int>(1 + draw.Uniform(3));
    o->min_write_buffer_number_to_merge = static_cast<int>(1 + draw.Uniform(3));
    if (draw.OneIn(3)) {
      o->bottommost_compression = codecs[draw.Uniform(codecs.size())];
    }
    for (uint64_t n = draw.Uniform(4); n > 0; --n) {
      o->compression_per_level.push_back(codecs[draw.Uniform(codecs.size())]);
    }
    Say("style", static_cast<uint64_t>(o->compaction_style));
    Say("dynamic", o->level_compaction_dynamic_level_bytes);
    Say("merge_memtables",
        static_cast<uint64_t>(o->min_write_buffer_number_to_merge));
  }

  std::shared_ptr<TableFactory> MakeTableFactory(Options* o) {
    BlockBasedTableOptions t;
    t.block_size = Pick<uint64_t>({1, 128, 512, 4096});
    t.block_size_deviation = Pick({0, 10, 50});
    t.block_restart_interval = Pick({1, 2, 16});
    t.metadata_block_size = Pick<uint64_t>({1, 64, 512});
    t.checksum = Pick({kNoChecksum, kCRC32c, kxxHash, kxxHash64, kXXH3});
    const uint64_t filter = random_.Uniform(4);
    const double bits = Pick({1.0, 4.5, 10.0});
    if (filter == 3 || (filter != 1 && random_.OneIn(3))) {
      t.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
    }
    history_.description +=
        filter_draw_.Draw(static_cast<FilterPlace>(filter), bits, o, &t);
    const uint64_t cache = random_.Uniform(3);
    if (cache == 0) t.no_block_cache = true;
    if (cache == 1) t.block_cache = NewLRUCache(Between(1, 16) << 10);
    Say("block", t.block_size);
    Say("index", t.index_type);
    Say("checksum", t.checksum);
    t.cache_index_and_filter_blocks = random_.OneIn(2);
    Say("cache", cache);
    Say("index_in_cache", t.cache_index_and_filter_blocks);
    MetadataCacheOptions& pins = t.metadata_cache_options;
    for (PinningTier* tier :
         {&pins.top_level_index_pinning, &pins.partition_pinning,
          &pins.unpartitioned_pinning}) {
      *tier = static_cast<PinningTier>(random_.Uniform(4));
      Say("pins", static_cast<uint64_t>(*tier));
    }
    t.decouple_partitioned_filters = filter == 3 && random_.OneIn(2);
    Say("decoupled", t.decouple_partitioned_filters);
    return std::shared_ptr<TableFactory>(NewBlockBasedTableFactory(t));
  }

  // A few odd keys, and families of keys behind long common prefixes.
  void MakeKeys() {
    std::vector<std::string>& keys = history_.keys;
    keys = {"", std::string(1, '\0'), "\xff", "\xff\xff", "a", "A", "aB"};
    const uint64_t families = Between(1, 4);
    for (uint64_t f = 0; f < families; ++f) {
      std::string prefix(Between(0, 60), 'p');
      prefix += "family" + std::to_string(f);
      const uint64_t members = Between(4, 24);
      keys.push_back(prefix);
      for (uint64_t m = 0; m < members; ++m) {
        std::string key = prefix + "/" + std::to_string(random_.Uniform(100));
        if (random_.OneIn(6)) key[random_.Uniform(prefix.size())] = 'F';
        if (random_.OneIn(8)) key.append(3, '\xff');
        keys.push_back(std::move(key));
      }
    }
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    Say("keys", keys.size());
    const KeyLess less{history_.options[0].comparator};
    std::sort(keys.begin(), keys.end(), less);
    std::copy_if(
        keys.begin(), keys.end(), std::back_inserter(history_.single_keys),
        [this, one_in = Pick<uint64_t>({2, 6, 30})](const std::string&) {
          return random_.OneIn(one_in);
        });
    Say("single_keys", history_.single_keys.size());
  }

  const std::string& Key() {
    return history_.keys[random_.Uniform(history_.keys.size())];
  }

  // Every value is another one: an old version is never taken for a new one.
  std::string Value() {
    if (random_.OneIn(20)) return "";
    std::string value = "v" + std::to_string(++values_) + ".";
    uint64_t size = random_.Uniform(120);
    // Some fill memtables.
    if (random_.OneIn(5)) size = Between(5'000, 30'000);
    if (random_.OneIn(400)) size = Between(40'000, 140'000);  // log fragments
    if (random_.OneIn(2)) return value.append(size, 'z');
    while (size-- > 0) value.push_back(static_cast<char>(random_.Next()));
    return value;
  }

  Changes MakeChanges(uint64_t count) {
    Changes changes(count);
    for (Change& change : changes) {
      const uint64_t what = random_.Uniform(100);
      change.kind = what < kinds_.puts      ? ChangeKind::kPut
                    : what < kinds_.merges  ? ChangeKind::kMerge
                    : what < kinds_.deletes ? ChangeKind::kDelete
                                            : ChangeKind::kDeleteRange;
      if (change.kind == ChangeKind::kDeleteRange) {
        MakeRange(&change);
        continue;
      }
      change.key = Key();
      if (change.kind != ChangeKind::kDelete) change.value = Value();
    }
    return changes;
  }

  // Most ranges are narrow, some between keys, some empty.
  void MakeRange(Change* change) {
    const std::vector<std::string>& keys = history_.keys;
    const uint64_t width = random_.OneIn(6) ? keys.size() : 8;
    const uint64_t from = random_.Uniform(keys.size());
    const uint64_t to =
        std::min<uint64_t>(from + random_.Uniform(width), keys.size() - 1);
    change->key = keys[from];
    change->value = keys[to];
    if (random_.OneIn(4)) change->key += '\0';
    if (random_.OneIn(4)) change->value += 'x';
    const KeyLess less{history_.options[0].comparator};
    if (less(change->value, change->key)) std::swap(change->key, change->value);
  }

  Target PickTarget() {
    return Pick({Target::kAny, Target::kWal, Target::kWal, Target::kManifest,
                 Target::kManifest, Target::kCurrent, Target::kTable,
                 Target::kTable, Target::kSync, Target::kSync, Target::kRename,
                 Target::kDirectory, Target::kDirectory, Target::kRemove});
  }

  Operation Arm() {
    Operation o;
    o.act = Act::kArm;
    o.fault = Pick({Fault::kPowerCut, Fault::kPowerCut, Fault::kKill,
                    Fault::kIOError, Fault::kNoSpace});
    o.target = PickTarget();
    o.number = random_.OneIn(2) ? random_.Uniform(4) : random_.Uniform(40);
    o.flag = random_.OneIn(4);
    return o;
  }

  Operation MakeOperation() {
    struct Weight {
      Act act;
      uint64_t weight;
    };
    static constexpr std::array<Weight, 13> kWeights = {{
        {Act::kWrite, 100},
        {Act::kTakeSnapshot, 7},
        {Act::kReleaseSnapshot, 5},
        {Act::kOpenIterator, 5},
        {Act::kCloseIterator, 3},
        {Act::kFlush, 8},
        {Act::kCompactRange, 5},
        {Act::kSyncLog, 3},
        {Act::kRunJobs, 25},
        {Act::kCheck, 12},
        {Act::kResume, 4},
        {Act::kReopen, 3},
        {Act::kArm, 8},
    }};
    static constexpr uint64_t kTotal = [] {
      uint64_t total = 0;
      for (const Weight& w : kWeights) total += w.weight;
      return total;
    }();
    uint64_t at = random_.Uniform(kTotal);
    size_t i = 0;
    while (at >= kWeights[i].weight) at -= kWeights[i++].weight;
    return Fill(kWeights[i].act);
  }

  Operation Fill(Act act) {
    if (act == Act::kArm) return faults_ ? Arm() : Fill(Act::kWrite);
    Operation o;
    o.act = act;
    o.number = random_.Next();
    o.flag = random_.OneIn(2);
    if (act == Act::kWrite) {
      o.flag = random_.OneIn(6);
      o.changes = MakeChanges(random_.OneIn(3) ? Between(2, 12) : 1);
      if (random_.OneIn(50)) o.changes.clear();
    }
    if (act == Act::kRunJobs) o.number = Between(1, 4);
    if (act == Act::kCompactRange && random_.OneIn(2)) {
      o.begin = Key();
      o.end = Key();
    }
    return o;
  }

  // Of 100 changes, those below each number; the rest are range deletions.
  struct Kinds {
    uint64_t puts = 0;
    uint64_t merges = 0;
    uint64_t deletes = 0;
  };

  Random random_;
  Random read_mode_draw_;  // apart: histories stay as they were
  Random style_draw_;
  Random worker_draw_;
  Random keep_draw_;
  FilterDraw filter_draw_;
  History history_;
  Kinds kinds_;
  bool faults_ = false;
  uint64_t values_ = 0;
};

}  // namespace

History MakeHistory(uint64_t seed) { return Generator(seed).Make(); }

}  // namespace tamis::model
