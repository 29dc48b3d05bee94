// SPDX-License-Identifier: Apache-2.0
#include "db/compaction/entry_filter.h"

#include <utility>

#include "util/base/exceptions.h"

namespace tamis {

namespace {

// A larger value might not fit into a table.
constexpr size_t kNewValueBytesMax = size_t{1} << 30;

}  // namespace

EntryFilter::EntryFilter(const CompactionFilter* filter,
                         std::unique_ptr<CompactionFilter> owned,
                         const Inputs& in)
    : owned_(std::move(owned)),
      filter_(owned_ != nullptr ? *owned_ : *filter),
      level_(in.level) {
  if (!in.snapshots.empty()) newest_snapshot_ = in.snapshots.back();
}

Result<std::unique_ptr<EntryFilter>> EntryFilter::Make(
    const ColumnFamilyOptions& options, const Inputs& in) {
  const CompactionFilter* filter = nullptr;
  std::unique_ptr<CompactionFilter> owned;
  if (options.compaction_filter != nullptr) {
    if (in.context.reason == TableFileCreationReason::kCompaction) {
      filter = options.compaction_filter;
    }
  } else if (options.compaction_filter_factory != nullptr) {
    CompactionFilterFactory& factory = *options.compaction_filter_factory;
    TAMIS_RETURN_IF_ERROR(
        CatchExceptionsOf("compaction filter factory", factory.Name(), [&] {
          if (factory.ShouldFilterTableFileCreation(in.context.reason)) {
            owned = factory.CreateCompactionFilter(in.context);
          }
          return Status::OK();
        }));
  }
  std::unique_ptr<EntryFilter> made;
  if (filter == nullptr && owned == nullptr) return made;
  made.reset(new EntryFilter(filter, std::move(owned), in));
  TAMIS_RETURN_IF_ERROR(
      CatchExceptionsOf("compaction filter", made->filter_.Name(), [&made] {
        made->ignores_snapshots_ = made->filter_.IgnoreSnapshots();
        return Status::OK();
      }));
  return made;
}

Result<EntryFilter::Decision> EntryFilter::Ask(const Slice& user_key,
                                               ValueType type,
                                               const Slice& value) {
  new_value_.clear();
  skip_until_.clear();
  const auto kind = type == kTypeMerge ? CompactionFilter::kMergeOperand
                                       : CompactionFilter::kValue;
  auto decision = Decision::kKeep;
  TAMIS_RETURN_IF_ERROR(
      CatchExceptionsOf("compaction filter", filter_.Name(), [&] {
        decision = filter_.FilterV2(level_, user_key, kind, value, &new_value_,
                                    &skip_until_);
        return CheckAnswer(decision);
      }));
  return decision;
}

Status EntryFilter::CheckAnswer(Decision decision) const {
  switch (decision) {
    case Decision::kChangeValue:
      if (new_value_.size() <= kNewValueBytesMax) return Status::OK();
      return Status::Aborted("its new value has " +
                             std::to_string(new_value_.size()) +
                             " bytes; at most 1 GiB is allowed");
    case Decision::kKeep:
    case Decision::kRemove:
    case Decision::kRemoveAndSkipUntil:
    case Decision::kPurge:
      return Status::OK();
  }
  return Status::Aborted("it returned the unknown decision " +
                         std::to_string(static_cast<int>(decision)));
}

}  // namespace tamis
