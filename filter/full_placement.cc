// SPDX-License-Identifier: Apache-2.0
#include "filter/full_placement.h"

namespace tamis {

Status FullFilterWriter::Finish(FilterSink& sink) {
  if (builder_->num_keys() == 0) return Status::OK();
  num_keys_ = builder_->num_keys();
  return sink.WriteFilter(0, PendingFilter(std::move(builder_)));
}

bool WholeFilterReader::KeyMayMatch(const FilterKey& entry,
                                    const Slice& user_key,
                                    const ReadContext& context) const {
  if (whole_) return whole_->MayMatch(entry);
  if (!opener_.known()) return true;
  const Result<PinnedBytes> filter = source_->Load(user_key, context);
  if (!filter.ok()) return true;
  return opener_.Open(filter->bytes()).MayMatch(entry);
}

}  // namespace tamis
