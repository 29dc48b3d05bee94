// SPDX-License-Identifier: Apache-2.0
#include "tests/interop/differential/script.h"

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <set>
#include <tuple>
#include <utility>

#include "util/base/random.h"

namespace tamis::differential {

namespace {

class Writer {
 public:
  Writer(uint64_t seed, const Means& means) : random_(seed), means_(means) {
    script_.seed = seed;
  }

  Script Make() {
    MakeKeys();
    no_log_ = random_.OneIn(6);
    atomic_flush_ = random_.OneIn(4);
    merges_ = random_.OneIn(4) ? 45 : 15;
    ranges_ = random_.OneIn(3) ? 6 : 2;
    manual_ = random_.OneIn(5);
    // The order belongs to the name of a family: RocksDB does not open a
    // database whose MANIFEST has a dropped family of that name with another
    // order.
    const bool orders = random_.OneIn(2);
    for (Slot& slot : slots_) slot.plan.reverse = orders && random_.OneIn(2);
    for (size_t slot = 1; slot < kSlots; ++slot) {
      if (random_.OneIn(2)) Revive(slot);
    }
    Revive(0);
    AddOpen();
    for (uint64_t turn = 1; turn < means_.turns; ++turn) {
      AddSteps(Between(200, 500));
      AddReopen();
    }
    AddSteps(Between(100, 300));
    ScanEverything();
    AddClose();
    AddOpen();
    ScanEverything();
    AddClose();
    script_.keys = std::move(keys_);
    return std::move(script_);
  }

 private:
  struct Before {
    bool reverse = false;
    bool operator()(const std::string& a, const std::string& b) const {
      return reverse ? b < a : a < b;
    }
  };
  enum class State : uint8_t { kNone, kLive, kDropped };
  struct Slot {
    State state = State::kNone;
    FamilyPlan plan;
    // Of the keys that SingleDelete is for: those that are there.
    std::set<std::string, Before> singles;
  };

  struct HeldIterator {
    uint64_t snapshot = 0;  // 0: none
    bool total_order = true;
  };

  template <typename T>
  T Pick(std::initializer_list<T> choices) {
    return *std::next(choices.begin(), static_cast<std::ptrdiff_t>(
                                           random_.Uniform(choices.size())));
  }
  uint64_t Between(uint64_t low, uint64_t high) {
    return low + random_.Uniform(high - low + 1);
  }

  // Fixed prefixes are for keys at least as long: then all are.
  void MakeKeys() {
    short_keys_ = random_.OneIn(3);
    const uint64_t count = means_.turns == 0 ? Between(20, 120) : 400;
    const uint64_t letters = Between(2, 5);
    std::set<std::string> keys;
    for (uint64_t i = 0; i < count; ++i) {
      const uint64_t length = short_keys_
                                  ? random_.Uniform(6)
                                  : Between(4, random_.OneIn(4) ? 24 : 8);
      std::string key;
      for (uint64_t n = 0; n < length; ++n) {
        key.push_back(random_.OneIn(40)
                          ? Pick({'\0', '\xff', '\x7f', '\x80'})
                          : static_cast<char>('a' + random_.Uniform(letters)));
      }
      keys.insert(key);
    }
    keys_.assign(keys.begin(), keys.end());
  }
  const std::string& Key() { return keys_[random_.Uniform(keys_.size())]; }
  static bool IsSingle(const std::string& key) { return HashOf(key) % 4 == 0; }
  // A key, or something near one, of no less length where that matters.
  std::string Target() {
    std::string target = Key();
    if (random_.OneIn(3)) return target;
    if (target.empty() || random_.OneIn(3)) {
      target.push_back(Pick({'\0', 'b', '\xff'}));
    } else {
      target[random_.Uniform(target.size())] = Pick({'a', 'c', 'z', '\0'});
    }
    return target;
  }
  std::pair<std::string, std::string> Range(size_t slot) {
    std::pair<std::string, std::string> range{Target(), Target()};
    if (random_.OneIn(3)) {
      // A narrow one.
      range.second = range.first;
      range.second.push_back(slots_[slot].plan.reverse ? '\0' : '\xff');
    }
    if (Before{slots_[slot].plan.reverse}(range.second, range.first)) {
      std::swap(range.first, range.second);
    }
    return range;
  }

  // Everything that may change from one open to the next.
  void PlanTables(FamilyPlan* plan) {
    plan->prefix = 0;
    if (random_.OneIn(2)) plan->prefix = Pick({1, 2, 3});
    if (plan->prefix > 0 && (short_keys_ || random_.OneIn(3))) {
      plan->prefix = -plan->prefix;
    }
    plan->write_buffer_size = Pick<size_t>({64 << 10, 64 << 10, 1 << 20});
    plan->memtable_bloom = random_.OneIn(4) ? 0.1 : 0;
    plan->level0_trigger = Pick({2, 2, 4});
    plan->level_base = Pick<uint64_t>({8 << 10, 64 << 10, 1 << 20});
    plan->file_size = Pick<uint64_t>({2 << 10, 16 << 10, 256 << 10});
    plan->compacts_by_itself = !manual_ && !random_.OneIn(4);
    if (manual_) plan->write_buffer_size = 1 << 20;
    plan->block_size = Pick<uint64_t>({128, 512, 4096});
    plan->restart_interval = Pick({1, 2, 16});
    plan->filter = Pick({0, 1, 1, 2});
    plan->whole_keys = !random_.OneIn(3);
    plan->index = Pick({0, 0, 1, 1, 2});
    plan->partitioned_filter = plan->index == 1 && random_.OneIn(2);
    plan->hash_in_blocks = random_.OneIn(3);
    plan->format_version = static_cast<uint32_t>(Between(2, 5));
    plan->checksum = Pick({1, 1, 2, 3, 4});
    plan->codec = Pick({0, 1, 4, 7});
  }
  void Revive(size_t i) {
    Slot& slot = slots_[i];
    slot.state = State::kLive;
    slot.plan.merge_operator = Pick({"stringappend", "uint64add", "max"});
    slot.singles = std::set<std::string, Before>(Before{slot.plan.reverse});
    PlanTables(&slot.plan);
  }

  std::vector<size_t> Slots(State state) const {
    std::vector<size_t> found;
    for (size_t i = 0; i < kSlots; ++i) {
      if (slots_[i].state == state) found.push_back(i);
    }
    return found;
  }
  size_t LiveSlot() {
    const std::vector<size_t> live = Slots(State::kLive);
    return random_.OneIn(3) ? 0 : live[random_.Uniform(live.size())];
  }
  // Dropped families are readable through the handles that are left.
  size_t ReadableSlot() {
    const std::vector<size_t> dropped = Slots(State::kDropped);
    if (dropped.empty() || !random_.OneIn(6)) return LiveSlot();
    return dropped[random_.Uniform(dropped.size())];
  }

  std::string Value(size_t slot, bool operand) {
    if (slots_[slot].plan.merge_operator == "uint64add" &&
        !random_.OneIn(operand ? 40 : 10)) {
      std::string number;
      for (int i = 0; i < 8; ++i) {
        number.push_back(static_cast<char>(random_.OneIn(2) ? 0xff : i));
      }
      return number;
    }
    if (random_.OneIn(20)) return "";
    std::string value = (operand ? "m" : "v") + std::to_string(++written_);
    const uint64_t size = random_.OneIn(30) ? 4000 : random_.Uniform(100);
    if (!operand || random_.OneIn(4)) value.append(size, 'x');
    return value;
  }
  Edit MakeEdit(size_t i) {
    Slot& slot = slots_[i];
    Edit edit{Edit::Kind::kPut, i, Key(), ""};
    if (random_.Uniform(100) < ranges_) {
      edit.kind = Edit::Kind::kRange;
      std::tie(edit.key, edit.value) = Range(i);
      slot.singles.erase(slot.singles.lower_bound(edit.key),
                         slot.singles.lower_bound(edit.value));
      return edit;
    }
    if (IsSingle(edit.key)) {
      if (slot.singles.erase(edit.key) > 0) {
        edit.kind = Edit::Kind::kSingleDelete;
        return edit;
      }
      slot.singles.insert(edit.key);
    } else if (random_.OneIn(4)) {
      edit.kind = Edit::Kind::kDelete;
      return edit;
    } else if (random_.Uniform(100) < merges_) {
      edit.kind = Edit::Kind::kMerge;
    }
    edit.value = Value(i, edit.kind == Edit::Kind::kMerge);
    return edit;
  }
  Step MakeWrite() {
    Step step;
    step.act = Act::kWrite;
    step.as_batch = random_.OneIn(3);
    step.sync = random_.OneIn(30);
    step.no_log = no_log_ && random_.OneIn(2);
    if (step.sync && step.no_log) {
      // Is refused, so that it may not count as written.
      step.edits.push_back({Edit::Kind::kPut, LiveSlot(), Key(), "refused"});
      return step;
    }
    const uint64_t count = step.as_batch ? random_.Uniform(13) : 1;
    for (uint64_t i = 0; i < count; ++i) {
      step.edits.push_back(MakeEdit(LiveSlot()));
    }
    return step;
  }

  Step MakeIngest() {
    Step step;
    step.act = Act::kIngest;
    step.slot = LiveSlot();
    step.flag = random_.OneIn(2);
    Slot& slot = slots_[step.slot];
    if (random_.OneIn(4)) {
      Edit edit{Edit::Kind::kRange, step.slot, "", ""};
      std::tie(edit.key, edit.value) = Range(step.slot);
      slot.singles.erase(slot.singles.lower_bound(edit.key),
                         slot.singles.lower_bound(edit.value));
      step.edits.push_back(std::move(edit));
    }
    std::set<std::string, Before> keys(Before{slot.plan.reverse});
    for (uint64_t i = Between(1, 12); i > 0; --i) keys.insert(Key());
    for (const std::string& key : keys) {
      if (IsSingle(key)) continue;
      Edit edit{Edit::Kind::kPut, step.slot, key, ""};
      if (random_.OneIn(4)) {
        edit.kind = Edit::Kind::kDelete;
      } else {
        if (random_.Uniform(100) < merges_) edit.kind = Edit::Kind::kMerge;
        edit.value = Value(step.slot, edit.kind == Edit::Kind::kMerge);
      }
      step.edits.push_back(std::move(edit));
    }
    return step;
  }

  size_t SomeSnapshot() {
    return snapshots_.empty() || random_.OneIn(2)
               ? 0
               : 1 + random_.Uniform(snapshots_.size());
  }
  // Without total_order_seek RocksDB may miss keys before the end of a range
  // deletion, or after the last key that the filters of an earlier Seek left.
  std::vector<Move> MakeMoves(bool fresh, bool total_order) {
    std::vector<Move> moves;
    const uint64_t count = Between(1, 6);
    for (uint64_t i = 0; i < count; ++i) {
      Move move;
      move.kind = static_cast<Move::Kind>(random_.Uniform(6));
      if (i == 0 && fresh && move.kind >= Move::Kind::kNext) {
        move.kind = Move::Kind::kSeek;
      }
      if (!total_order && move.kind == Move::Kind::kFirst) {
        move.kind = Move::Kind::kSeek;
      }
      if (!total_order && move.kind == Move::Kind::kLast) {
        move.kind = Move::Kind::kSeekForPrev;
      }
      if (move.kind == Move::Kind::kSeek ||
          move.kind == Move::Kind::kSeekForPrev) {
        move.target = Target();
      } else if (move.kind >= Move::Kind::kNext) {
        move.times = static_cast<int>(random_.OneIn(3) ? Between(20, 200)
                                                       : Between(1, 6));
      }
      moves.push_back(std::move(move));
    }
    return moves;
  }
  Step MakeIteratorStep(Act act) {
    Step step;
    step.act = act;
    step.slot = ReadableSlot();
    step.snapshot = SomeSnapshot();
    if (random_.OneIn(2)) {
      auto [lower, upper] = Range(step.slot);
      if (!random_.OneIn(3)) step.use.lower = std::move(lower);
      if (!random_.OneIn(3)) step.use.upper = std::move(upper);
    }
    step.use.prefix_same_as_start = random_.OneIn(3);
    step.use.total_order_seek =
        !step.use.prefix_same_as_start || random_.OneIn(3);
    step.use.moves = MakeMoves(true, step.use.total_order_seek);
    return step;
  }
  Step MakeMultiGet() {
    Step step;
    step.act = Act::kMultiGet;
    step.slot = ReadableSlot();
    step.snapshot = SomeSnapshot();
    step.flag = random_.OneIn(2);
    const uint64_t count = Between(1, 20);
    for (uint64_t i = 0; i < count; ++i) {
      step.keys.push_back(random_.OneIn(4) ? Target() : Key());
      step.slots.push_back(ReadableSlot());
    }
    return step;
  }
  Step MakeCompact() {
    Step step;
    step.act = Act::kCompact;
    step.slot = LiveSlot();
    step.flag = random_.OneIn(3);
    step.counts = !slots_[step.slot].plan.compacts_by_itself;
    auto [begin, end] = Range(step.slot);
    if (random_.OneIn(2)) step.begin = std::move(begin);
    if (random_.OneIn(2)) step.end = std::move(end);
    return step;
  }
  static Step Plain(Act act) {
    Step step;
    step.act = act;
    return step;
  }

  void Add(Step step) { script_.steps.push_back(std::move(step)); }
  void AddRead() {
    Step step;
    switch (random_.Uniform(8)) {
      case 0:
      case 1:
        step.slot = ReadableSlot();
        step.snapshot = SomeSnapshot();
        step.keys.push_back(random_.OneIn(4) ? Target() : Key());
        return Add(std::move(step));
      case 2:
      case 3:
        return Add(MakeMultiGet());
      case 4:
      case 5:
        return Add(MakeIteratorStep(Act::kScan));
      case 6:
        if (iterators_.size() < 4) {
          step = MakeIteratorStep(Act::kOpenIterator);
          iterators_.push_back(
              {step.snapshot == 0 ? 0 : snapshots_[step.snapshot - 1],
               step.use.total_order_seek});
          return Add(std::move(step));
        }
        break;
      default:
        break;
    }
    if (iterators_.empty()) return;
    step.held = random_.Uniform(iterators_.size());
    step.act = Act::kMoveIterator;
    step.use.moves = MakeMoves(false, iterators_[step.held].total_order);
    if (random_.OneIn(4)) {
      step.act = Act::kCloseIterator;
      iterators_.erase(iterators_.begin() +
                       static_cast<std::ptrdiff_t>(step.held));
    }
    Add(std::move(step));
  }
  void AddSnapshotStep() {
    if (snapshots_.size() < 4 && random_.OneIn(2)) {
      snapshots_.push_back(++snapshots_taken_);
      return Add(Plain(Act::kTakeSnapshot));
    }
    if (snapshots_.empty()) return;
    Step step = Plain(Act::kReleaseSnapshot);
    step.held = random_.Uniform(snapshots_.size());
    const auto at = snapshots_.begin() + static_cast<std::ptrdiff_t>(step.held);
    // An iterator goes before the snapshot that it reads at.
    for (const HeldIterator& held : iterators_) {
      if (held.snapshot == *at) return;
    }
    snapshots_.erase(at);
    Add(std::move(step));
  }
  void AddFlush(size_t slot, bool all) {
    Step step = Plain(Act::kFlush);
    step.slot = slot;
    step.slots = Slots(State::kLive);
    step.flag = all;
    Add(std::move(step));
  }
  void AddFamilyStep() {
    Step step;
    step.slot = random_.Uniform(kSlots);
    Slot& slot = slots_[step.slot];
    step.act = Act::kListFamilies;
    if (random_.OneIn(5)) return Add(std::move(step));
    if (slot.state != State::kLive) {
      Revive(step.slot);
      step.act = Act::kCreateFamily;
      step.family = slot.plan;
      return Add(std::move(step));
    }
    // The family exists. Slot 0 is never dropped, so both calls are refused
    // there.
    step.act = random_.OneIn(3) ? Act::kCreateFamily : Act::kDropFamily;
    step.flag = random_.OneIn(2);
    step.family = slot.plan;
    if (step.act == Act::kDropFamily && step.slot != 0) {
      slot.state = step.flag ? State::kDropped : State::kNone;
    }
    Add(std::move(step));
  }
  OpenPlan MakeOpenPlan() {
    OpenPlan plan;
    plan.atomic_flush = atomic_flush_;
    plan.max_open_files = Pick({-1, -1, 20});
    plan.max_total_wal_size = manual_ ? 0 : Pick<uint64_t>({0, 0, 20000});
    for (size_t i = 0; i < kSlots; ++i) {
      if (slots_[i].state == State::kLive) plan.families[i] = slots_[i].plan;
    }
    return plan;
  }
  void AddCopyStep(Act act) {
    // What a reader of the files finds depends on when the engine flushes
    // writes that have no log, and compactions take files away under it.
    if (act == Act::kReadOnlyBeside && (no_log_ || !manual_)) return;
    Step step = Plain(act);
    step.flag = random_.OneIn(2);
    // RocksDB omits unlogged writes from a checkpoint for which it does not
    // flush.
    if (act == Act::kCheckpoint && no_log_) step.flag = true;
    step.open = MakeOpenPlan();
    Add(std::move(step));
  }
  void AddOpen() {
    Step step = Plain(Act::kOpen);
    // Those that are not there yet are made.
    for (size_t i = 1; i < kSlots; ++i) {
      Slot& slot = slots_[i];
      if (slot.state == State::kDropped) slot.state = State::kNone;
      if (slot.state == State::kNone && random_.OneIn(6)) {
        Revive(i);
      }
    }
    for (Slot& slot : slots_) {
      if (random_.OneIn(2)) PlanTables(&slot.plan);
    }
    step.open = MakeOpenPlan();
    Add(std::move(step));
  }
  void AddClose() {
    for (Slot& slot : slots_) {
      if (slot.state == State::kDropped) slot.state = State::kNone;
    }
    snapshots_.clear();
    iterators_.clear();
    Step step = Plain(Act::kClose);
    step.flag = means_.turns > 0 && !no_log_ && random_.OneIn(2);
    Add(std::move(step));
  }
  void AddReopen() {
    if (means_.turns > 0 && random_.OneIn(2)) AddFlush(0, true);
    AddClose();
    while (random_.OneIn(2)) {
      Step step = Plain(Act::kReadOnly);
      if (random_.OneIn(2)) step.act = Act::kRefusedOpen;
      step.refusal = static_cast<Refusal>(random_.Uniform(6));
      // Nothing is left out of a database with one family.
      if (step.refusal == Refusal::kFamilyLeftOut &&
          Slots(State::kLive).size() == 1) {
        continue;
      }
      step.flag = random_.OneIn(2);
      step.open = MakeOpenPlan();
      Add(std::move(step));
    }
    AddOpen();
  }
  void ScanEverything() {
    Add(Plain(Act::kScanTogether));
    for (const size_t slot : Slots(State::kLive)) {
      Step step = Plain(Act::kScan);
      step.slot = slot;
      step.use.moves = {{Move::Kind::kFirst, "", 1},
                        {Move::Kind::kNext, "", 1000},
                        {Move::Kind::kLast, "", 1},
                        {Move::Kind::kPrev, "", 1000}};
      Add(std::move(step));
    }
    Step step = Plain(Act::kMultiGet);
    for (const std::string& key : keys_) step.keys.push_back(key);
    Add(std::move(step));
  }
  void AddSteps(uint64_t count) {
    const uint64_t end = script_.steps.size() + count;
    while (script_.steps.size() < end) AddStep();
  }
  void AddStep() {
    const uint64_t n = random_.Uniform(1000);
    if (n < 490) return Add(MakeWrite());
    if (n < 500) return Add(MakeIngest());
    if (n < 840) return AddRead();
    if (n < 890) return AddSnapshotStep();
    if (n < 930) {
      return AddFlush(LiveSlot(), random_.OneIn(3));
    }
    if (n < 950) return Add(MakeCompact());
    if (n < 965) return Add(Plain(Act::kProperties));
    if (n < 971) {
      if (means_.turns == 0) AddReopen();
      return;
    }
    if (n < 990) return AddFamilyStep();
    if (n < 993) return AddCopyStep(Act::kCheckpoint);
    if (n < 997) return AddCopyStep(Act::kReadOnlyBeside);
    Add(Plain(Act::kScanTogether));
  }

  Random random_;
  const Means means_;
  Script script_;
  std::vector<std::string> keys_;
  std::array<Slot, kSlots> slots_;
  bool short_keys_ = false;
  bool no_log_ = false;
  bool atomic_flush_ = false;
  bool manual_ = false;  // nothing is flushed or compacted by itself
  uint64_t merges_ = 0;
  uint64_t ranges_ = 0;
  uint64_t written_ = 0;
  uint64_t snapshots_taken_ = 0;
  std::vector<uint64_t> snapshots_;  // which are held
  std::vector<HeldIterator> iterators_;
};

}  // namespace

std::string NameOfSlot(size_t slot) {
  return slot == 0 ? "default" : "f" + std::to_string(slot);
}

Script MakeScript(uint64_t seed, const Means& means) {
  return Writer(seed, means).Make();
}

}  // namespace tamis::differential
