// SPDX-License-Identifier: Apache-2.0
#include "db/compaction/entry_counts.h"

#include <optional>

#include "db/compaction/entry_filter.h"

namespace tamis {

Status CheckEntriesRead(const std::string& subject, const std::string& job,
                        uint64_t read, uint64_t expected,
                        const std::string& option) {
  if (read == expected) return Status::OK();
  return Status::Corruption(subject, job + " has read " + std::to_string(read) +
                                         " entries; the inputs have " +
                                         std::to_string(expected) +
                                         ". Nothing was deleted. " + option +
                                         " = false lets it pass");
}

Status CheckCompacted(const Compaction& plan, const CompactionInputs& in,
                      uint64_t read) {
  const TableCache& tables = in.family->tables();
  uint64_t expected = 0;
  std::string names;
  for (const TableFilePtr& file : plan.AllInputs()) {
    const auto opened = tables.RangeTombstonesForCompaction(*file);
    if (!opened.ok()) return opened.status();
    const std::optional<uint64_t> entries = file->point_entries_if_known();
    if (!entries.has_value()) return Status::OK();
    expected += *entries;
    names +=
        (names.empty() ? "" : ", ") + std::to_string(file->meta.number.value());
  }
  if (read < expected && HasCompactionFilter(*in.options)) return Status::OK();
  return CheckEntriesRead(in.context->directory,
                          "a compaction of the tables " + names, read, expected,
                          "compaction_verify_record_count");
}

}  // namespace tamis
