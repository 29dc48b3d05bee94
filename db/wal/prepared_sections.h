// SPDX-License-Identifier: Apache-2.0
//
// The marks of two-phase commit in a log, and what a reader of logs makes of
// them. The first phase writes the changes of a transaction, which do not take
// effect yet. The second phase writes what has become of them:
//
//   BeginPrepare change* EndPrepare(id)   prepared; takes no sequence numbers
//   Rollback(id)                          they never take effect
//   Rollback(id) change*                  committed, as Tamis does it
//   Commit(id)                            committed, as RocksDB does it: the
//                                         prepared changes take effect here
//   LogData(kCopyMark) BeginPrepare ...   a copy of an earlier section, which
//                                         counts unless that has ended
//
// Tamis commits by the changes themselves, once more, so that a log needs no
// earlier one to be replayed: a prepared section matters only while nothing
// else is known of its transaction. RocksDB writes the changes once, and must
// keep the prepared section until they are in tables.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "tamis/write_batch.h"

#include "db/base/numbers.h"
#include "db/wal/write_batch_internal.h"
#include "util/base/result.h"

namespace tamis {

inline constexpr char kCopyMark[] = "tamis.prepared-before";

// The marks around a batch in the log.
struct LogMarks {
  static LogMarks Prepare(const Slice& id);
  static LogMarks Copy(const Slice& id);
  // Before the batch that commits the transaction, or an empty batch.
  static LogMarks Resolve(const Slice& id);

  size_t size() const { return before.size() + after.size(); }

  std::string id;
  std::string before;
  std::string after;
  // The batch is not applied, and takes no sequence numbers.
  bool log_only = false;
};

// The prepared sections of logs that are read in order. One thread.
class PreparedSections {
 public:
  // The changes of each transaction, by its id.
  using ById = std::map<std::string, WriteBatch>;

  // Returns how many sequence numbers Apply will use for the batch, whose marks
  // it checks: Corruption if they are not in order, and BatchCursor's errors.
  Result<uint64_t> Check(const WriteBatch& batch) const;
  // Calls visit(sequence, family, type, key, value) for each change that takes
  // effect by the batch, in order, with Sequence() and the numbers after it.
  // Stops at the first error of visit(), which it returns. REQUIRES: Check
  // returned OK.
  template <typename Visit>
  Status Apply(const WriteBatch& batch, Visit&& visit);

  // Forgets which transactions have ended. Their number would grow without
  // limit in a reader of all logs; a copy of one counts as a new section then.
  void ForgetEnded() { ended_.clear(); }
  // Returns the sections of which nothing else is known.
  const ById& unresolved() const { return sections_; }
  ById Take() { return std::exchange(sections_, {}); }

 private:
  // The changes between two marks of a batch.
  struct Section {
    size_t begin = 0;
    uint32_t count = 0;
    bool is_copy = false;
  };
  void Keep(const Slice& id, const Slice& changes, const Section& section);
  void End(const Slice& id);

  ById sections_;
  std::set<std::string> ended_;  // ids
};

template <typename Visit>
Status PreparedSections::Apply(const WriteBatch& batch, Visit&& visit) {
  const Slice contents = WriteBatchInternal::Contents(batch);
  BatchCursor cursor(contents, BatchCursor::Marks::kShow);
  BatchRecord record;
  SequenceNumber sequence = WriteBatchInternal::Sequence(batch);
  bool in_section = false;
  Section section;
  bool is_copy = false;
  size_t end = 0;  // of the record before
  for (; cursor.Next(&record); end = cursor.offset()) {
    switch (record.kind) {
      case BatchRecord::kChange:
        ++section.count;
        if (in_section) break;
        TAMIS_RETURN_IF_ERROR(visit(sequence++, record.family, record.type,
                                    record.key, record.value));
        break;
      case BatchRecord::kLogData:
        is_copy = record.value == kCopyMark;
        break;
      case BatchRecord::kBeginPrepare:
        in_section = true;
        section = {cursor.offset(), 0, std::exchange(is_copy, false)};
        break;
      case BatchRecord::kEndPrepare:
        in_section = false;
        Keep(record.value,
             Slice(contents.data() + section.begin, end - section.begin),
             section);
        break;
      case BatchRecord::kCommit: {
        const auto found = sections_.find(record.value.ToString());
        // Unknown: its changes are in tables already.
        if (found == sections_.end()) break;
        TAMIS_RETURN_IF_ERROR(WriteBatchInternal::ForEach(
            found->second, [&](SequenceNumber, FamilyId family, ValueType type,
                               const Slice& key, const Slice& value) {
              return visit(sequence++, family, type, key, value);
            }));
        End(record.value);
        break;
      }
      case BatchRecord::kRollback:
        End(record.value);
        break;
    }
  }
  return cursor.status();
}

}  // namespace tamis
