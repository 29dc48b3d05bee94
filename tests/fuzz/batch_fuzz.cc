// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a WriteBatch. All ways to iterate over it agree; its changes,
// put into a new batch, are that batch's; an appended batch adds only its
// changes; and a batch that may be written can be read.
#include <algorithm>
#include <string>
#include <vector>

#include "tamis/utilities/merge_operators.h"
#include "tamis/write_batch.h"

#include "db/wal/write_batch_internal.h"
#include "tests/fuzz/fuzz_input.h"

namespace tamis {
namespace {

struct Change {
  uint32_t family;
  ValueType type;
  std::string key;
  std::string value;
  friend bool operator==(const Change&, const Change&) = default;
};

class Collector : public WriteBatch::Handler {
 public:
  Status PutCF(uint32_t family, const Slice& key, const Slice& value) override {
    changes.push_back({family, kTypeValue, key.ToString(), value.ToString()});
    return Status::OK();
  }
  Status DeleteCF(uint32_t family, const Slice& key) override {
    changes.push_back({family, kTypeDeletion, key.ToString(), ""});
    return Status::OK();
  }
  Status SingleDeleteCF(uint32_t family, const Slice& key) override {
    changes.push_back({family, kTypeSingleDeletion, key.ToString(), ""});
    return Status::OK();
  }
  Status DeleteRangeCF(uint32_t family, const Slice& begin,
                       const Slice& end) override {
    changes.push_back(
        {family, kTypeRangeDeletion, begin.ToString(), end.ToString()});
    return Status::OK();
  }
  Status MergeCF(uint32_t family, const Slice& key,
                 const Slice& operand) override {
    changes.push_back({family, kTypeMerge, key.ToString(), operand.ToString()});
    return Status::OK();
  }

  std::vector<Change> changes;
};

void ClaimIterationsAgree(const WriteBatch& batch, const Status& iterated) {
  Claim(WriteBatchInternal::Validate(batch).ok() == iterated.ok());
  uint64_t changes = 0;
  uint64_t next = 0;
  const Status visited = WriteBatchInternal::ForEach(
      batch, [&](SequenceNumber sequence, FamilyId, ValueType, const Slice&,
                 const Slice&) {
        Claim(changes == 0 || sequence == next);
        next = sequence + 1;
        ++changes;
        return Status::OK();
      });
  Claim(visited.ok() == iterated.ok());
  if (iterated.ok()) Claim(changes == batch.Count());
}

Status Add(const Change& change, WriteBatch* batch) {
  switch (change.type) {
    case kTypeValue:
      return batch->Put(change.key, change.value);
    case kTypeDeletion:
      return batch->Delete(change.key);
    case kTypeSingleDeletion:
      return batch->SingleDelete(change.key);
    case kTypeMerge:
      return batch->Merge(change.key, change.value);
    default:
      return batch->DeleteRange(change.key, change.value);
  }
}

void ClaimRebuilds(const WriteBatch& batch,
                   const std::vector<Change>& changes) {
  WriteBatch again;
  for (const Change& change : changes) {
    if (change.family != 0) return;  // only a handle names others
    Claim(Add(change, &again).ok());
  }
  Collector second;
  Claim(again.Iterate(&second).ok());
  Claim(second.changes == changes);
  Claim(again.Append(batch).ok());
  Collector both;
  Claim(again.Iterate(&both).ok());
  Claim(both.changes.size() == 2 * changes.size());
}

// Family 0 takes all, family 1 no operands, and there are no others.
void ClaimWritable(const WriteBatch& batch, const Status& iterated,
                   const std::vector<Change>& changes) {
  static const KeyOrder order(BytewiseComparator());
  static const auto append = MergeOperators::CreateStringAppendOperator(",");
  const Status status =
      WriteBatchInternal::CheckWritable(batch, [](FamilyId family) {
        WriteBatchInternal::Target target;
        if (family < FamilyId(2)) target.order = &order;
        if (family == kDefaultFamilyId) target.merge_operator = append.get();
        return target;
      });
  if (status.ok()) Claim(iterated.ok());
  // A handler that overrides nothing takes what it need not act on: changes of
  // the default family, but for range deletions.
  WriteBatch::Handler nothing;
  const bool taken =
      std::none_of(changes.begin(), changes.end(), [](const Change& change) {
        return change.family != 0 || change.type == kTypeRangeDeletion;
      });
  if (iterated.ok()) Claim(batch.Iterate(&nothing).ok() == taken);
}

void Fuzz(FuzzInput input) {
  const WriteBatch batch(input.Rest());
  Collector collector;
  const Status iterated = batch.Iterate(&collector);
  ClaimIterationsAgree(batch, iterated);
  ClaimWritable(batch, iterated, collector.changes);
  if (!iterated.ok()) {
    Claim(iterated.IsCorruption() || iterated.IsNotSupported());
    return;
  }
  Claim(collector.changes.size() == batch.Count());
  ClaimRebuilds(batch, collector.changes);
}

}  // namespace
}  // namespace tamis

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tamis::Fuzz(tamis::FuzzInput(data, size));
  return 0;
}
