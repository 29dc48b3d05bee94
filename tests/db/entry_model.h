// SPDX-License-Identifier: Apache-2.0
//
// A model of a database after every kind of change, and an iterator over it.
// Operands are those of StringAppend.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/db/test_db.h"
#include "util/base/random.h"

namespace tamis {

using KeyValues = std::map<std::string, std::string>;

class EntryModel {
 public:
  const KeyValues& shown() const { return shown_; }

  void Put(const std::string& key, const std::string& value) {
    shown_[key] = value;
    if (!single_.insert(key).second) spoilt_.insert(key);
  }
  void Merge(const std::string& key, const std::string& operand) {
    const auto at = shown_.find(key);
    if (at == shown_.end()) {
      shown_[key] = operand;
    } else {
      at->second += "," + operand;
    }
    spoilt_.insert(key);
  }
  void Delete(const std::string& key) {
    shown_.erase(key);
    spoilt_.insert(key);
  }
  bool MaySingleDelete(const std::string& key) const {
    return single_.contains(key) && !spoilt_.contains(key);
  }
  // REQUIRES: MaySingleDelete(key)
  void SingleDelete(const std::string& key) {
    shown_.erase(key);
    single_.erase(key);
  }
  void DeleteRange(const std::string& begin, const std::string& end) {
    shown_.erase(shown_.lower_bound(begin), shown_.lower_bound(end));
  }

 private:
  KeyValues shown_;
  // Keys that were Put since their last SingleDelete, and keys that had more
  // happen to them: a SingleDelete will not do for those.
  std::set<std::string> single_;
  std::set<std::string> spoilt_;
};

// One change of any kind, to both.
inline Status RandomChange(Random* random, int keys, int number,
                           EntryModel* model, WriteBatch* batch) {
  const auto any = static_cast<uint64_t>(keys);
  const int i = static_cast<int>(random->Uniform(any));
  const std::string key = Key(i);
  const std::string value = "v" + std::to_string(number);
  const uint64_t what = random->Uniform(20);
  if (what < 7) {
    model->Put(key, value);
    return batch->Put(key, value);
  }
  if (what < 14) {
    model->Merge(key, value);
    return batch->Merge(key, value);
  }
  if (what < 16) {
    model->Delete(key);
    return batch->Delete(key);
  }
  if (what < 18) {
    if (!model->MaySingleDelete(key)) return {};
    model->SingleDelete(key);
    return batch->SingleDelete(key);
  }
  const std::string end =
      Key(i + static_cast<int>(random->Uniform(what == 18 ? 4 : any / 2)));
  model->DeleteRange(key, end);
  return batch->DeleteRange(key, end);
}

// What an iterator over `shown` within the bounds has to show.
class ModelIterator {
 public:
  ModelIterator(const KeyValues& shown, const ReadOptions& options)
      : entries_(shown.begin(), shown.end()) {
    std::erase_if(entries_, [&](const auto& entry) {
      const Slice key(entry.first);
      const Slice* const lower = options.iterate_lower_bound;
      const Slice* const upper = options.iterate_upper_bound;
      return (lower != nullptr && key < *lower) ||
             (upper != nullptr && !(key < *upper));
    });
  }
  bool Valid() const { return at_ >= 0 && at_ < Size(); }
  void SeekToFirst() { at_ = 0; }
  void SeekToLast() { at_ = Size() - 1; }
  void Seek(const std::string& key) {
    for (at_ = 0; at_ < Size() && Entry().first < key;) ++at_;
  }
  void SeekForPrev(const std::string& key) {
    for (at_ = Size() - 1; at_ >= 0 && Entry().first > key;) --at_;
  }
  void Next() { ++at_; }
  void Prev() { --at_; }

  void ExpectIs(const Iterator& it, const std::string& where) const {
    ASSERT_TRUE(it.status().ok()) << it.status() << " " << where;
    ASSERT_EQ(it.Valid(), Valid())
        << where << (it.Valid() ? it.key().ToString() : Entry().first);
    if (!Valid()) return;
    ASSERT_EQ(it.key(), Slice(Entry().first)) << where;
    ASSERT_EQ(it.value(), Slice(Entry().second)) << where;
  }

 private:
  int Size() const { return static_cast<int>(entries_.size()); }
  const std::pair<std::string, std::string>& Entry() const {
    return entries_[static_cast<size_t>(at_)];
  }

  std::vector<std::pair<std::string, std::string>> entries_;
  int at_ = -1;
};

// `steps` random moves of both, which have to stay together.
inline void MoveTogether(Random* random, int keys, int steps, Iterator* it,
                         ModelIterator* expected) {
  for (int step = 0; step < steps; ++step) {
    std::string target =
        Key(static_cast<int>(random->Uniform(static_cast<uint64_t>(keys) + 2)));
    if (random->OneIn(3)) target += "x";
    std::string where = "step " + std::to_string(step);
    const uint64_t what = random->Uniform(expected->Valid() ? 16 : 4);
    if (what == 0) {
      it->SeekToFirst();
      expected->SeekToFirst();
      where += " SeekToFirst";
    } else if (what == 1) {
      it->SeekToLast();
      expected->SeekToLast();
      where += " SeekToLast";
    } else if (what == 2) {
      it->Seek(target);
      expected->Seek(target);
      where += " Seek " + target;
    } else if (what == 3) {
      it->SeekForPrev(target);
      expected->SeekForPrev(target);
      where += " SeekForPrev " + target;
    } else if (what < 10) {
      it->Next();
      expected->Next();
      where += " Next";
    } else {
      it->Prev();
      expected->Prev();
      where += " Prev";
    }
    expected->ExpectIs(*it, where);
    if (testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace tamis
