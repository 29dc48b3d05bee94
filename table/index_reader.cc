// SPDX-License-Identifier: Apache-2.0
#include "table/index_reader.h"

#include <utility>

namespace tamis {

IndexIterator::IndexIterator(const IndexReader* index,
                             const ReadContext* context)
    : index_(index), context_(context) {
  const IndexFormat& format = index->format();
  const BlockOrigin origin{index->fetcher_->file_name(), index->offset_};
  if (format.two_level()) {
    top_.Open(PinnedBytes::Borrow(index->block_.bytes()), format.top_level(),
              origin);
  } else {
    leaf_.Open(PinnedBytes::Borrow(index->block_.bytes()), format.leaf(),
               origin);
  }
  status_ = format.two_level() ? top_.status() : leaf_.status();
}

void IndexIterator::Fail(Status status) {
  valid_ = false;
  status_ = std::move(status);
}

bool IndexIterator::OpenPartition() {
  leaf_.Close();
  if (!top_.Valid()) {
    if (!top_.status().ok()) Fail(top_.status());
    return false;
  }
  const IndexFormat& format = index_->format();
  if (!HandleOf(top_, format.top_level(), &partition_)) {
    Fail(top_.origin().Corruption("malformed handle of an index partition"));
    return false;
  }
  Result<PinnedBytes> block =
      index_->fetcher_->Fetch(partition_, BlockKind::kIndex, *context_);
  if (!block.ok()) {
    Fail(block.status());
    return false;
  }
  leaf_.Open(std::move(*block), format.leaf(),
             {index_->fetcher_->file_name(), partition_.offset});
  if (!leaf_.status().ok()) {
    Fail(leaf_.status());
    return false;
  }
  return true;
}

void IndexIterator::Settle() {
  valid_ = false;
  if (!leaf_.Valid()) {
    if (!leaf_.status().ok()) Fail(leaf_.status());
    return;
  }
  if (!HandleOf(leaf_, index_->format().leaf(), &handle_)) {
    Fail(leaf_.origin().Corruption("malformed handle in the index"));
    return;
  }
  valid_ = true;
}

void IndexIterator::SkipForward() {
  if (index_->format().two_level()) {
    while (!leaf_.Valid() && leaf_.status().ok() && top_.Valid()) {
      top_.Next();
      if (!OpenPartition()) break;
      leaf_.SeekToFirst();
    }
  }
  if (status_.ok()) Settle();
}

void IndexIterator::SkipBackward() {
  if (index_->format().two_level()) {
    while (!leaf_.Valid() && leaf_.status().ok() && top_.Valid()) {
      top_.Prev();
      if (!OpenPartition()) break;
      leaf_.SeekToLast();
    }
  }
  if (status_.ok()) Settle();
}

void IndexIterator::SeekToFirst() {
  valid_ = false;
  status_ = Status::OK();
  if (index_->format().two_level()) {
    top_.SeekToFirst();
    if (!OpenPartition()) return;
  }
  leaf_.SeekToFirst();
  SkipForward();
}

void IndexIterator::SeekToLast() {
  valid_ = false;
  status_ = Status::OK();
  if (index_->format().two_level()) {
    top_.SeekToLast();
    if (!OpenPartition()) return;
  }
  leaf_.SeekToLast();
  SkipBackward();
}

void IndexIterator::Seek(const Slice& internal_key) {
  valid_ = false;
  status_ = Status::OK();
  const Slice target = index_->format().Target(internal_key);
  if (index_->format().two_level()) {
    top_.Seek(target);
    if (!OpenPartition()) return;
  }
  leaf_.Seek(target);
  SkipForward();
}

void IndexIterator::Next() {
  leaf_.Next();
  SkipForward();
}

void IndexIterator::Prev() {
  leaf_.Prev();
  SkipBackward();
}

}  // namespace tamis
