// SPDX-License-Identifier: Apache-2.0
#include "tests/kill/operations.h"

#include <utility>

namespace tamis::kill {

namespace {

constexpr uint64_t kKeys = 100;          // of a thread in a family
constexpr uint64_t kKeysPutOnce = 30;    // others, for single deletes
constexpr uint64_t kMostChanges = 30;    // of a batch
constexpr uint64_t kBigValue = 40'000;   // bytes, now and then
constexpr uint64_t kMostOrdinary = 300;  // bytes

}  // namespace

const Comparator* ComparatorOf(size_t family) {
  return family == kReverse ? ReverseBytewiseComparator()
                            : BytewiseComparator();
}

std::string PrefixOf(uint32_t thread) {
  return "thread" + std::to_string(thread) + "/";
}

Row::Row(uint64_t seed, int round, uint32_t thread, Model start)
    : random_(seed + static_cast<uint64_t>(round) * kThreads + thread),
      round_(round),
      owns_fourth_(thread == 0),
      prefix_(PrefixOf(thread)),
      model_(std::move(start)) {}

Operation Row::Next() {
  ++count_;
  Operation next;
  next.sync = random_.OneIn(60);
  next.family = AnyFamily();
  const uint64_t dice = random_.Uniform(1000);
  if (dice < 3) {
    next.kind = Operation::Kind::kFlush;
  } else if (dice < 5) {
    next.kind = Operation::Kind::kCompactRange;
  } else if (dice < 15 && owns_fourth_) {
    next.kind = model_.fourth_exists ? Operation::Kind::kDropFourth
                                     : Operation::Kind::kCreateFourth;
    model_.fourth_exists = !model_.fourth_exists;
    model_.families[kFourth].clear();
  } else {
    const uint64_t n = random_.OneIn(3) ? 1 + random_.Uniform(kMostChanges) : 1;
    for (uint64_t i = 0; i < n; ++i) {
      next.changes.push_back(NextChange());
      Apply(next.changes.back());
    }
  }
  return next;
}

size_t Row::AnyFamily() {
  return random_.Uniform(model_.fourth_exists ? kFamilies : kFamilies - 1);
}

// Tells each write of the whole test from every other.
std::string Row::Value() {
  const uint64_t size =
      random_.OneIn(200) ? kBigValue : random_.Uniform(kMostOrdinary);
  std::string value =
      std::to_string(round_) + "." + std::to_string(count_) + ":";
  value.append(size, static_cast<char>('a' + random_.Uniform(26)));
  return value;
}

// A single delete is for a key that was put once since the last one: those
// keys take no other part.
Change Row::NextChange() {
  using Kind = Change::Kind;
  Change change{Kind::kPut, AnyFamily(), "", ""};
  if (random_.OneIn(6)) {
    change.key =
        prefix_ + "once" + std::to_string(random_.Uniform(kKeysPutOnce));
    if (model_.families[change.family].count(change.key) != 0) {
      change.kind = Kind::kSingleDelete;
    } else {
      change.value = Value();
    }
    return change;
  }
  const auto any_key = [&] {
    return prefix_ + "key" + std::to_string(100 + random_.Uniform(kKeys));
  };
  change.key = any_key();
  const uint64_t dice = random_.Uniform(40);
  if (dice == 0) {
    change.kind = Kind::kDeleteRange;
    change.value = any_key();
    if (ComparatorOf(change.family)->Compare(change.value, change.key) < 0) {
      std::swap(change.key, change.value);
    }
  } else if (dice < 10) {
    change.kind = Kind::kDelete;
  } else {
    if (dice < 25 && change.family == kMerging) change.kind = Kind::kMerge;
    change.value = Value();
  }
  return change;
}

void Row::Apply(const Change& change) {
  auto& family = model_.families[change.family];
  switch (change.kind) {
    case Change::Kind::kPut:
      family[change.key] = change.value;
      return;
    case Change::Kind::kDelete:
    case Change::Kind::kSingleDelete:
      family.erase(change.key);
      return;
    case Change::Kind::kMerge: {
      const auto [at, is_new] = family.try_emplace(change.key, change.value);
      if (!is_new) at->second += "," + change.value;
      return;
    }
    case Change::Kind::kDeleteRange: {
      const Comparator* const order = ComparatorOf(change.family);
      std::erase_if(family, [&](const auto& entry) {
        return order->Compare(change.key, entry.first) <= 0 &&
               order->Compare(entry.first, change.value) < 0;
      });
      return;
    }
  }
}

}  // namespace tamis::kill
