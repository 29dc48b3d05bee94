// SPDX-License-Identifier: Apache-2.0
//
// Iterates over a database's keys as they were if a batch was written.
//
//   base    a   c   d   f          an iterator of the database
//   delta     b   (d)   f'         the batch: puts, (deletions), merges
//   shown   a b c       f'
//
// One thread, which may change the batch between two moves.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "tamis/iterator.h"
#include "tamis/options.h"

#include "db/transaction/indexed_batch.h"

namespace tamis {

class BaseDeltaIterator final : public Iterator {
 public:
  // `batch` and what `with` points to must outlive *this. Of the options, the
  // bounds apply to the batch.
  BaseDeltaIterator(const IndexedBatch* batch, FamilyId family,
                    const MergeWith& with, std::unique_ptr<Iterator> base,
                    const ReadOptions& options)
      : batch_(*batch),
        family_(family),
        merge_with_(with),
        base_(std::move(base)),
        lower_bound_(options.iterate_lower_bound),
        upper_bound_(options.iterate_upper_bound) {}

  bool Valid() const override { return shown_ != Shown::kNothing; }
  void SeekToFirst() override;
  void SeekToLast() override;
  void Seek(const Slice& target) override;
  void SeekForPrev(const Slice& target) override;
  void Next() override;
  void Prev() override;
  Slice key() const override;
  Slice value() const override;
  Status status() const override { return status_; }
  Status Refresh() override;

 private:
  enum class Shown : uint8_t { kNothing, kBase, kDelta };
  enum class Direction : uint8_t { kForward, kBackward };

  // Set delta_ to the key of a change within the bounds, or to none: the first
  // from or after `key`, the last up to or before it; of all for nullptr.
  void DeltaFrom(const Slice* key, bool after);
  void DeltaUpTo(const Slice* key, bool before);
  // Shows the first key, in the direction, of those that base_ and delta_ are
  // at or reach.
  void Show(Direction direction);
  // Moves delta_ on, past its own key.
  void AdvanceDelta(Direction direction);
  void StepBase(Direction direction);
  // Moves both past the key that is shown.
  void Leave(Direction direction);
  // Calls position(), which positions both, then shows what they are at.
  template <typename Position>
  void Move(Direction direction, const Position& position);
  void Stop(Status status);

  const IndexedBatch& batch_;
  const FamilyId family_;
  const MergeWith merge_with_;
  const std::unique_ptr<Iterator> base_;
  const Slice* const lower_bound_;
  const Slice* const upper_bound_;
  Direction direction_ = Direction::kForward;
  // Copies, since the batch may move its bytes.
  std::optional<std::string> delta_;  // none: at the end
  uint64_t delta_version_ = 0;        // of the batch, when delta_ was found
  Shown shown_ = Shown::kNothing;
  std::string key_;    // if shown_ is kDelta
  std::string value_;  // the same
  Status status_;
};

}  // namespace tamis
