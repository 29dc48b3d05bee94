// SPDX-License-Identifier: Apache-2.0
#include "filter/filter_batch.h"

namespace tamis {

FilterBatch::Filter* FilterBatch::Find(const FilterBlockReader& reader,
                                       const Slice& user_key,
                                       const ReadContext& context) {
  FilterPosition at;
  for (const Filter& other : filters_) {
    if (other.reader_ == &reader && other.at_.index.buffer() != nullptr) {
      at.index = PinnedBytes::Lend(other.at_.index.buffer());
      break;
    }
  }
  if (!reader.source().Find(user_key, context, &at).ok()) {
    return &filters_.emplace_back();
  }
  for (Filter& other : filters_) {
    if (other.reader_ == &reader && other.at_.partition == at.partition) {
      return &other;
    }
  }
  Result<PinnedBytes> bytes = reader.source().Load(at, context);
  if (!bytes.ok()) return &filters_.emplace_back();
  if (!bytes->empty()) __builtin_prefetch(bytes->bytes().end() - 1);
  return &filters_.emplace_back(&reader, std::move(at), *std::move(bytes));
}

}  // namespace tamis
