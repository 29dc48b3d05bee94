// SPDX-License-Identifier: Apache-2.0
#include "tests/interop/differential/script.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "tests/interop/differential/dice.h"
#include "tests/interop/differential/plans.h"

namespace tamis::differential {

namespace {

class Writer {
 public:
  Writer(uint64_t seed, const Means& means) : random_(seed), means_(means) {
    script_.seed = seed;
  }

  Script Make() {
    limits_.short_keys = random_.OneIn(3);
    keys_ = DrawKeys(
        limits_, means_.turns == 0 ? random_.Between(20, 120) : 400, &random_);
    no_log_ = random_.OneIn(6);
    limits_.atomic_flush = random_.OneIn(4);
    merges_ = random_.OneIn(4) ? 45 : 15;
    ranges_ = random_.Pick<uint64_t>({0, 2, 2, 6});
    limits_.manual = random_.OneIn(5);
    limits_.fifo = random_.OneIn(3);
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
      AddSteps(random_.Between(200, 500));
      AddReopen();
    }
    AddSteps(random_.Between(100, 300));
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
    uint64_t life = 0;        // of families in this slot
    bool had_ranges = false;  // range deletions
    bool had_ingested = false;
  };

  struct HeldIterator {
    uint64_t snapshot = 0;  // 0: none
    bool total_order = true;
    bool pinned = false;
    size_t slot = 0;
    uint64_t life = 0;
  };

  const std::string& Key() { return keys_[random_.Uniform(keys_.size())]; }
  static bool IsSingle(const std::string& key) { return HashOf(key) % 4 == 0; }
  // A key, or something near one, of no less length where that matters.
  std::string Target() {
    std::string target = Key();
    if (random_.OneIn(3)) return target;
    if (target.empty() || random_.OneIn(3)) {
      target.push_back(random_.Pick({'\0', 'b', '\xff'}));
    } else {
      target[random_.Uniform(target.size())] =
          random_.Pick({'a', 'c', 'z', '\0'});
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

  void Revive(size_t i) {
    Slot& slot = slots_[i];
    slot.state = State::kLive;
    ++slot.life;
    slot.plan.merge_operator =
        random_.Pick({"stringappend", "uint64add", "max"});
    slot.plan.fifo = limits_.fifo && random_.OneIn(3);
    slot.singles = std::set<std::string, Before>(Before{slot.plan.reverse});
    slot.had_ranges = false;
    slot.had_ingested = false;
    DrawTables(limits_, &random_, &slot.plan);
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
      slot.had_ranges = true;
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

  void AddTable(size_t at, Step* step) {
    Slot& slot = slots_[at];
    slot.had_ingested = true;
    if (random_.OneIn(4)) {
      Edit edit{Edit::Kind::kRange, at, "", ""};
      slot.had_ranges = true;
      std::tie(edit.key, edit.value) = Range(at);
      slot.singles.erase(slot.singles.lower_bound(edit.key),
                         slot.singles.lower_bound(edit.value));
      step->edits.push_back(std::move(edit));
    }
    std::set<std::string, Before> keys(Before{slot.plan.reverse});
    for (uint64_t i = random_.Between(1, 12); i > 0; --i) keys.insert(Key());
    for (const std::string& key : keys) {
      if (IsSingle(key)) continue;
      Edit edit{Edit::Kind::kPut, at, key, ""};
      if (random_.OneIn(4)) {
        edit.kind = Edit::Kind::kDelete;
      } else {
        if (random_.Uniform(100) < merges_) edit.kind = Edit::Kind::kMerge;
        edit.value = Value(at, edit.kind == Edit::Kind::kMerge);
      }
      step->edits.push_back(std::move(edit));
    }
  }
  // RocksDB 7.8.3 calls universal trees corrupt, and FIFO's lose ingested keys.
  Step MakeIngest() {
    Step step;
    step.act = Act::kIngest;
    step.flag = random_.OneIn(2);
    step.slot = LiveSlot();
    if (!slots_[step.slot].plan.leveled()) return MakeWrite();
    AddTable(step.slot, &step);
    const size_t other = LiveSlot();
    if (other != step.slot && slots_[other].plan.leveled() &&
        random_.OneIn(2)) {
      AddTable(other, &step);
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
    const uint64_t count = random_.Between(1, 6);
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
        move.times =
            static_cast<int>(random_.OneIn(3) ? random_.Between(20, 200)
                                              : random_.Between(1, 6));
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
    step.use.pin_data = random_.OneIn(4);
    step.use.readahead = random_.OneIn(6) ? 1 << 16 : 0;
    step.use.moves = MakeMoves(true, step.use.total_order_seek);
    return step;
  }
  // RocksDB 7.8.3 dies of the Refresh of an iterator that pins, or whose family
  // had range deletions.
  bool CanRefresh(const HeldIterator& held) const {
    const Slot& slot = slots_[held.slot];
    return held.snapshot == 0 && !held.pinned && held.life == slot.life &&
           slot.state == State::kLive && !slot.had_ranges;
  }
  Step MakeMultiGet() {
    Step step;
    step.act = Act::kMultiGet;
    step.slot = ReadableSlot();
    step.snapshot = SomeSnapshot();
    step.flag = random_.OneIn(2);
    const uint64_t count = random_.Between(1, 20);
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
    step.counts = slots_[step.slot].plan.counts();
    auto [begin, end] = Range(step.slot);
    if (random_.OneIn(2)) step.begin = std::move(begin);
    if (random_.OneIn(2)) step.end = std::move(end);
    return step;
  }
  Step MakeSetOptions() {
    Step step = Plain(Act::kSetOptions);
    step.slot = LiveSlot();
    for (uint64_t i = random_.Between(1, 2); i > 0; --i) {
      auto setting = DrawSetting(limits_, &random_);
      if (setting.first == "disable_auto_compactions") {
        // One that runs already may go on.
        slots_[step.slot].plan.compacts_by_itself = true;
      }
      step.settings.push_back(std::move(setting));
    }
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
               step.use.total_order_seek, step.use.pin_data, step.slot,
               slots_[step.slot].life});
          return Add(std::move(step));
        }
        break;
      default:
        break;
    }
    if (iterators_.empty()) return;
    step.held = random_.Uniform(iterators_.size());
    const HeldIterator& held = iterators_[step.held];
    if (CanRefresh(held) && random_.OneIn(4)) {
      step.act = Act::kRefreshIterator;
      step.use.moves = MakeMoves(true, held.total_order);
      return Add(std::move(step));
    }
    step.act = Act::kMoveIterator;
    step.use.moves = MakeMoves(false, held.total_order);
    if (random_.OneIn(4)) {
      step.act = Act::kCloseIterator;
      iterators_.erase(iterators_.begin() +
                       static_cast<std::ptrdiff_t>(step.held));
    }
    Add(std::move(step));
  }
  // Not before the first write. A compaction of RocksDB 7.8.3 drops all entries
  // that were ingested at the sequence number 0 if there is a snapshot of it.
  void AddSnapshotStep() {
    if (script_.HasWrites() && snapshots_.size() < 4 && random_.OneIn(2)) {
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
  // The family is not empty, as no import can be. RocksDB 7.8.3 imports range
  // deletions only as far as the other keys of their table reach, and finds
  // ingested tables corrupt.
  void AddClone() {
    const size_t from = LiveSlot();
    const size_t to = random_.Uniform(kSlots);
    if (slots_[to].state == State::kLive || slots_[from].had_ranges ||
        slots_[from].had_ingested ||
        slots_[to].plan.reverse != slots_[from].plan.reverse) {
      return;
    }
    Step write = Plain(Act::kWrite);
    for (const std::string& key : keys_) {
      if (IsSingle(key)) continue;
      write.edits.push_back({Edit::Kind::kPut, from, key, "cloned"});
      break;
    }
    if (write.edits.empty()) return;
    Add(std::move(write));
    Step step = Plain(Act::kCloneFamily);
    step.slot = from;
    step.clone = to;
    step.flag = random_.OneIn(2);
    const uint64_t life = slots_[to].life + 1;
    slots_[to] = slots_[from];
    slots_[to].life = life;
    DrawTables(limits_, &random_, &slots_[to].plan);
    step.family = slots_[to].plan;
    Add(std::move(step));
  }
  OpenPlan MakeOpenPlan() {
    OpenPlan plan = DrawOpen(limits_, &random_);
    for (size_t i = 0; i < kSlots; ++i) {
      if (slots_[i].state == State::kLive) plan.families[i] = slots_[i].plan;
    }
    return plan;
  }
  void AddCopyStep(Act act) {
    // What a reader of the files finds depends on when the engine flushes
    // writes that have no log, and compactions take files away under it.
    if (act == Act::kReadOnlyBeside && (no_log_ || !limits_.manual)) return;
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
      if (random_.OneIn(2)) DrawTables(limits_, &random_, &slot.plan);
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
    if (n < 830) return AddRead();
    if (n < 835) return Add(MakeSetOptions());
    if (n < 840) return AddClone();
    if (n < 890) return AddSnapshotStep();
    if (n < 930) {
      return AddFlush(LiveSlot(), random_.OneIn(3));
    }
    if (n < 945) return Add(MakeCompact());
    if (n < 950) {
      Step step = Plain(Act::kCompactFiles);
      step.slot = LiveSlot();
      return Add(std::move(step));
    }
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

  Dice random_;
  PlanLimits limits_;
  const Means means_;
  Script script_;
  std::vector<std::string> keys_;
  std::array<Slot, kSlots> slots_;
  bool no_log_ = false;
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
