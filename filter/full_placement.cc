// SPDX-License-Identifier: Apache-2.0
#include "filter/full_placement.h"

#include <optional>

namespace tamis {

Status FullFilterWriter::Finish(FilterSink& sink) {
  if (builder_->num_keys() == 0) return Status::OK();
  num_keys_ = builder_->num_keys();
  return sink.WriteFilter(0, PendingFilter(std::move(builder_)),
                          /*last_key=*/nullptr);
}

WholeFilterReader::WholeFilterReader(const FilterLocator& where,
                                     const FilterSource* source)
    : FilterBlockReader(where.placement, source), opener_(where) {
  if (const std::optional<Slice> whole = source->Whole()) {
    Keep(opener_.Open(*whole));
  }
}

}  // namespace tamis
