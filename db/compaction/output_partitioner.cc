// SPDX-License-Identifier: Apache-2.0
#include "db/compaction/output_partitioner.h"

#include <utility>

#include "db/compaction/key_range.h"
#include "util/base/exceptions.h"

namespace tamis {

Result<std::unique_ptr<OutputPartitioner>> OutputPartitioner::Make(
    const ColumnFamilyOptions& options, const Compaction& plan,
    const KeyOrder& order) {
  std::unique_ptr<OutputPartitioner> made;
  const SstPartitionerFactory* const factory =
      options.sst_partitioner_factory.get();
  if (factory == nullptr || plan.output_level == kLevelZero) return made;
  const UserKeyRange range = RangeOf(order, plan.AllInputs());
  const SstPartitioner::Context context{
      .is_full_compaction = plan.IsFull(),
      .is_manual_compaction = plan.manual,
      .output_level = plan.output_level.value(),
      .smallest_user_key = range.smallest,
      .largest_user_key = range.largest};
  std::unique_ptr<SstPartitioner> partitioner;
  TAMIS_RETURN_IF_ERROR(
      CatchExceptionsOf("SST partitioner factory", factory->Name(), [&] {
        partitioner = factory->CreatePartitioner(context);
        return Status::OK();
      }));
  if (partitioner != nullptr) {
    made.reset(new OutputPartitioner(std::move(partitioner)));
  }
  return made;
}

Result<bool> OutputPartitioner::EndsBefore(const Slice& user_key, bool open,
                                           uint64_t bytes) {
  bool ends = false;
  if (open) {
    const Slice previous = previous_;
    TAMIS_RETURN_IF_ERROR(
        CatchExceptionsOf("SST partitioner", partitioner_->Name(), [&] {
          ends = partitioner_->ShouldPartition({previous, user_key, bytes}) ==
                 kRequired;
          return Status::OK();
        }));
  }
  previous_.assign(user_key.data(), user_key.size());
  return ends;
}

bool PartitionerAllowsMove(const SstPartitionerFactory* factory,
                           Level output_level, bool manual,
                           const TableFile& file) {
  if (factory == nullptr || output_level == kLevelZero) return true;
  const Slice smallest = ExtractUserKey(file.meta.smallest);
  const Slice largest = ExtractUserKey(file.meta.largest);
  bool allows = false;
  IgnoreExceptions([&] {
    const auto partitioner =
        factory->CreatePartitioner({.is_full_compaction = false,
                                    .is_manual_compaction = manual,
                                    .output_level = output_level.value(),
                                    .smallest_user_key = smallest,
                                    .largest_user_key = largest});
    allows = partitioner == nullptr ||
             partitioner->CanDoTrivialMove(smallest, largest);
  });
  return allows;
}

}  // namespace tamis
