// SPDX-License-Identifier: Apache-2.0
#include "table/merging_iterator.h"

#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/comparators.h"
#include "tests/support/tables.h"
#include "util/base/random.h"

namespace tamis {
namespace {

struct InOrder {
  KeyOrder order = Bytewise();
  bool operator()(const std::string& a, const std::string& b) const {
    return order.Compare(a, b) < 0;
  }
};
using Model = std::map<std::string, std::string, InOrder>;

// Iterates over a map; fails after `fail_after` moves.
class MapIterator final : public InternalIterator {
 public:
  explicit MapIterator(const Model& entries, int fail_after = -1)
      : InternalIterator(&shown_),
        entries_(entries),
        at_(entries_.end()),
        moves_left_(fail_after) {}
  void SeekToFirst() override { Move(entries_.begin()); }
  void SeekToLast() override {
    Move(entries_.empty() ? entries_.end() : std::prev(entries_.end()));
  }
  void Seek(const Slice& target) override {
    Move(entries_.lower_bound(target.ToString()));
  }
  void SeekForPrev(const Slice& target) override {
    const auto above = entries_.upper_bound(target.ToString());
    Move(above == entries_.begin() ? entries_.end() : std::prev(above));
  }
  void Next() override { Move(std::next(at_)); }
  void Prev() override {
    Move(at_ == entries_.begin() ? entries_.end() : std::prev(at_));
  }
  Status status() const override {
    return failed_ ? Status::IOError("the child failed") : Status::OK();
  }

 private:
  void Move(Model::const_iterator to) {
    failed_ = moves_left_ == 0;
    if (moves_left_ > 0) --moves_left_;
    at_ = to;
    shown_.valid = !failed_ && at_ != entries_.end();
    if (!shown_.valid) return;
    shown_.key = at_->first;
    shown_.value = at_->second;
  }

  const Model entries_;
  Model::const_iterator at_;
  int moves_left_;
  bool failed_ = false;
  IteratorEntry shown_;
};

// How keys look that heads and prefixes are taken of.
struct Shape {
  const char* what;
  KeyOrder order;
  std::string prefix;
  int low_byte;   // of the rest
  int high_byte;  // of the rest
  size_t bytes;   // of the rest, at most
};

std::string RandomKey(const Shape& shape, Random* random) {
  std::string key = shape.prefix;
  // Some end inside of the prefix, or leave it.
  if (random->Uniform(20) == 0) key.resize(random->Uniform(key.size() + 1));
  if (random->Uniform(20) == 0 && !key.empty()) key.back() ^= 1;
  for (uint64_t n = random->Uniform(shape.bytes + 1); n > 0; --n) {
    key += static_cast<char>(
        shape.low_byte + static_cast<int>(random->Uniform(static_cast<uint64_t>(
                             shape.high_byte - shape.low_byte + 1))));
  }
  return InternalKey(key, random->Uniform(1000));
}

void Compare(const Model& model, Model::const_iterator at,
             const InternalIterator& it) {
  ASSERT_EQ(it.Valid(), at != model.end());
  ASSERT_TRUE(it.status().ok());
  if (!it.Valid()) return;
  ASSERT_EQ(it.key(), Slice(at->first));
  ASSERT_EQ(it.value(), Slice(at->second));
}

// One random move of both.
void Step(const Model& model, const Shape& shape, Random* random,
          Model::const_iterator* at, InternalIterator* it) {
  const auto before = [&](Model::const_iterator above) {
    return above == model.begin() ? model.end() : std::prev(above);
  };
  const uint64_t choice =
      it->Valid() ? random->Uniform(12) : random->Uniform(4);
  if (choice == 0) {
    it->SeekToFirst();
    *at = model.begin();
  } else if (choice == 1) {
    it->SeekToLast();
    *at = before(model.end());
  } else if (choice == 2) {
    const std::string target = RandomKey(shape, random);
    it->Seek(target);
    *at = model.lower_bound(target);
  } else if (choice == 3) {
    const std::string target = RandomKey(shape, random);
    it->SeekForPrev(target);
    *at = before(model.upper_bound(target));
  } else if (choice < 8) {
    it->Next();
    ++*at;
  } else {
    it->Prev();
    *at = before(*at);
  }
}

void MoveAtRandom(const Shape& shape, uint64_t seed) {
  Random random(seed);
  const Model none(InOrder{shape.order});
  std::vector<Model> parts(random.Uniform(6), none);
  Model model = none;
  for (uint64_t i = random.Uniform(150); i > 0 && !parts.empty(); --i) {
    const std::string key = RandomKey(shape, &random);
    if (!model.emplace(key, std::to_string(i)).second) continue;
    parts[random.Uniform(parts.size())][key] = std::to_string(i);
  }
  std::vector<std::unique_ptr<InternalIterator>> children;
  for (const Model& part : parts) {
    children.push_back(std::make_unique<MapIterator>(part));
  }
  auto it = NewMergingIterator(shape.order, std::move(children));
  Model::const_iterator at = model.end();
  for (int i = 0; i < 400; ++i) {
    Step(model, shape, &random, &at, it.get());
    Compare(model, at, *it);
    if (testing::Test::HasFatalFailure()) return;
  }
  // And as far as it goes: prefixes are taken anew on the way.
  at = model.begin();
  for (it->SeekToFirst(); it->Valid(); it->Next(), ++at) {
    Compare(model, at, *it);
    if (testing::Test::HasFatalFailure()) return;
  }
  ASSERT_EQ(at, model.end());
}

TEST(MergingIteratorTest, MovesLikeOneMapInBothDirections) {
  const Backwards backwards;
  const KeyOrder reverse(ReverseBytewiseComparator());
  const Shape shapes[] = {
      {"few keys, many versions", Bytewise(), "k", '0', '9', 2},
      {"all bytes", Bytewise(), "", 0, 255, 3},
      {"zeros, which heads are padded with", Bytewise(), "", 0, 1, 12},
      {"the highest bytes", Bytewise(), "\xff", 254, 255, 12},
      {"a prefix", Bytewise(), "a/common/prefix", '0', '9', 8},
      {"a prefix of words", Bytewise(), "sixteen bytes of", '0', '9', 8},
      {"a prefix longer than is kept", Bytewise(), std::string(90, 'p'), '0',
       '9', 6},
      {"reverse, a prefix", reverse, "a/common/prefix", '0', '9', 8},
      {"reverse, zeros", reverse, "", 0, 1, 12},
      {"a user's order", KeyOrder(&backwards), "prefix", '0', '9', 3},
  };
  for (const Shape& shape : shapes) {
    SCOPED_TRACE(shape.what);
    for (uint64_t seed = 1; seed <= 60; ++seed) {
      SCOPED_TRACE(seed);
      MoveAtRandom(shape, seed);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(MergingIteratorTest, AFailingChildFailsTheMerge) {
  const Model a = {{InternalKey("a", 1), ""}, {InternalKey("c", 1), ""}};
  const Model b = {{InternalKey("b", 1), ""}, {InternalKey("d", 1), ""}};
  for (int fail_after = 0; fail_after < 3; ++fail_after) {
    std::vector<std::unique_ptr<InternalIterator>> children;
    children.push_back(std::make_unique<MapIterator>(a));
    children.push_back(std::make_unique<MapIterator>(b, fail_after));
    auto it = NewMergingIterator(Bytewise(), std::move(children));
    int shown = 0;
    for (it->SeekToFirst(); it->Valid(); it->Next()) ++shown;
    EXPECT_TRUE(it->status().IsIOError());
    EXPECT_LT(shown, 5);
    EXPECT_EQ(shown, fail_after * 2);
  }
}

}  // namespace
}  // namespace tamis
