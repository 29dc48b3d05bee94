// SPDX-License-Identifier: Apache-2.0
//
// Iterates over values without their times. A value without a possible time
// ends the iteration with Corruption.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "tamis/iterator.h"

#include "db/ttl/timed_value.h"

namespace tamis {

class TimedIterator final : public Iterator {
 public:
  explicit TimedIterator(std::unique_ptr<Iterator> base)
      : base_(std::move(base)) {}

  bool Valid() const override { return checked_.ok() && base_->Valid(); }
  void SeekToFirst() override {
    base_->SeekToFirst();
    Check();
  }
  void SeekToLast() override {
    base_->SeekToLast();
    Check();
  }
  void Seek(const Slice& target) override {
    base_->Seek(target);
    Check();
  }
  void SeekForPrev(const Slice& target) override {
    base_->SeekForPrev(target);
    Check();
  }
  void Next() override {
    base_->Next();
    Check();
  }
  void Prev() override {
    base_->Prev();
    Check();
  }
  Slice key() const override { return base_->key(); }
  Slice value() const override { return TimedValue::ValueOf(base_->value()); }
  Status status() const override {
    return checked_.ok() ? base_->status() : checked_;
  }
  Status Refresh() override {
    checked_ = Status::OK();
    return base_->Refresh();
  }
  Status GetProperty(std::string name, std::string* value) override {
    return base_->GetProperty(std::move(name), value);
  }

 private:
  void Check() {
    checked_ =
        base_->Valid() ? TimedValue::Check(base_->value()) : Status::OK();
  }

  const std::unique_ptr<Iterator> base_;
  Status checked_;
};

}  // namespace tamis
