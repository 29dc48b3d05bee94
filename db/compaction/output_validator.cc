// SPDX-License-Identifier: Apache-2.0
#include "db/compaction/output_validator.h"

#include "util/coding/hash.h"

namespace tamis {

void OutputValidator::Take(const Slice& internal_key, const Slice& value) {
  ++entries_;
  hash_ = Hash64(internal_key.data(), internal_key.size(), hash_);
  hash_ = Hash64(value.data(), value.size(), hash_);
}

Status OutputValidator::Check(const TableReader& table, const std::string& path,
                              size_t readahead_bytes) const {
  if (!enabled_) return Status::OK();
  ReadContext context;
  context.fill = CacheFill::kNothing;
  context.reads_ahead = true;
  context.readahead_size = readahead_bytes;
  OutputValidator read(/*enabled=*/true);
  const auto entries = table.NewIterator(context);
  for (entries->SeekToFirst(); entries->Valid(); entries->Next()) {
    read.Take(entries->key(), entries->value());
  }
  TAMIS_RETURN_IF_ERROR(entries->status());
  if (read.entries_ == entries_ && read.hash_ == hash_) return Status::OK();
  return Status::Corruption(
      path, "read back, the new table has " + std::to_string(read.entries_) +
                " entries; " + std::to_string(entries_) +
                " were written, and they are not the same. It was not used");
}

}  // namespace tamis
