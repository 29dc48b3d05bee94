// SPDX-License-Identifier: Apache-2.0
#include "db/wal/prepared_sections.h"

#include "db/wal/write_batch_tags.h"

namespace tamis {

namespace {

std::string Mark(BatchTag tag, const Slice& id) {
  std::string mark(1, static_cast<char>(tag));
  PutLengthPrefixedSlice(&mark, id);
  return mark;
}

Status Misplaced(const char* mark, const char* expected) {
  return Status::Corruption(
      "write batch", std::string("expected ") + expected + ", got " + mark);
}

}  // namespace

LogMarks LogMarks::Prepare(const Slice& id) {
  return {id.ToString(), std::string(1, static_cast<char>(kTagBeginPrepare)),
          Mark(kTagEndPrepare, id), /*log_only=*/true};
}

LogMarks LogMarks::Copy(const Slice& id) {
  LogMarks marks = Prepare(id);
  marks.before.insert(0, Mark(kTagLogData, kCopyMark));
  return marks;
}

LogMarks LogMarks::Resolve(const Slice& id) {
  return {id.ToString(), Mark(kTagRollback, id), {}, /*log_only=*/false};
}

Result<uint64_t> PreparedSections::Check(const WriteBatch& batch) const {
  BatchCursor cursor(WriteBatchInternal::Contents(batch),
                     BatchCursor::Marks::kShow);
  BatchRecord record;
  bool in_section = false;
  uint64_t used = 0;
  uint32_t count = 0;
  // The numbers of changes of sections that this batch adds or removes.
  std::map<std::string, uint64_t> changed;
  while (cursor.Next(&record)) {
    if (record.kind == BatchRecord::kLogData) continue;
    if (record.is_change()) {
      in_section ? ++count : ++used;
      continue;
    }
    const bool ends = record.kind == BatchRecord::kEndPrepare;
    if (in_section != ends) {
      return ends ? Misplaced("EndPrepare", "a BeginPrepare before")
                  : Misplaced("another mark", "EndPrepare");
    }
    in_section = record.kind == BatchRecord::kBeginPrepare;
    if (in_section) {
      count = 0;
      continue;
    }
    const std::string id = record.value.ToString();
    if (record.kind == BatchRecord::kCommit) {
      const auto here = changed.find(id);
      const auto before = sections_.find(id);
      if (here != changed.end()) {
        used += here->second;
      } else if (before != sections_.end()) {
        used += WriteBatchInternal::Count(before->second);
      }
    }
    changed[id] = ends ? count : 0;
  }
  TAMIS_RETURN_IF_ERROR(cursor.status());
  if (in_section) return Misplaced("the end of the batch", "EndPrepare");
  return used;
}

void PreparedSections::Keep(const Slice& id, const Slice& changes,
                            const Section& section) {
  if (section.is_copy && ended_.contains(id.ToString())) return;
  WriteBatch batch;
  std::string contents = WriteBatchInternal::Contents(batch).ToString();
  contents.append(changes.data(), changes.size());
  WriteBatchInternal::SetContents(&batch, contents);
  WriteBatchInternal::SetCount(&batch, section.count);
  sections_.insert_or_assign(id.ToString(), std::move(batch));
  ended_.erase(id.ToString());
}

void PreparedSections::End(const Slice& id) {
  sections_.erase(id.ToString());
  ended_.insert(id.ToString());
}

}  // namespace tamis
