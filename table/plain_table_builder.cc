// SPDX-License-Identifier: Apache-2.0
#include "table/plain_table_builder.h"

#include <string>
#include <utility>

#include "table/plain_table_index.h"
#include "table/plain_table_records.h"
#include "table/table_format.h"
#include "util/io/file_io.h"

namespace tamis {

namespace {

// Records are appended to the file in pieces of about this size.
constexpr size_t kPlainPieceBytes = 64 << 10;

class PlainTableBuilder final : public TableBuilder::Rep {
 public:
  PlainTableBuilder(const TableBuildOptions& build_options, WritableFile* file)
      : Rep(build_options),
        file_(file),
        extractor_(options.prefix_extractor.get()),
        records_({options.plain->encoding_type, options.plain->user_key_len},
                 options.plain->index_sparseness, extractor_) {
    if (options.plain->store_index_in_file) {
      index_ = std::make_unique<PlainIndexBuilder>(*options.plain, extractor_);
    }
  }

  void Add(const Slice& internal_key, const Slice& value) override;
  void AddRangeDeletion(const Slice& begin, const Slice& end,
                        SequenceNumber sequence) override;
  Status Finish() override;
  void Abandon() override { index_.reset(); }
  Slice last_key() const override { return last_key_; }
  uint64_t EstimatedFileSize() override { return offset_; }
  // A larger table could not be read.
  bool HasReached(uint64_t file_size) override {
    return offset_ >= std::min(file_size, kPlainTableBytesMax / 2);
  }
  uint64_t FileSize() const override { return offset_; }
  std::string DescribeFormat() const override { return "plain"; }
  std::string DescribeFilters() const override {
    return options.plain->store_index_in_file &&
                   options.plain->bloom_bits_per_key > 0
               ? kPlainBloomBlockName
               : "none";
  }
  const std::string& filter_reason() const override { return filter_reason_; }

 private:
  bool Accepts(const Slice& internal_key, const Slice& value);
  void Append(const Slice& bytes);
  void WritePiece();
  // Appends a block, and notes it for the metaindex.
  void AppendBlock(const char* name, const std::string& bytes, PlainTail* tail);

  WritableFile* const file_;
  const SliceTransform* const extractor_;
  PlainRecordWriter records_;
  std::unique_ptr<PlainIndexBuilder> index_;  // nullptr: none is stored
  std::string piece_;                         // not yet written
  uint64_t offset_ = 0;                       // behind the piece
  std::string last_key_;
  const std::string filter_reason_ = "the table is plain";
};

bool PlainTableBuilder::Accepts(const Slice& internal_key, const Slice& value) {
  CheckForm(internal_key);
  const Slice user_key = ExtractUserKey(internal_key);
  const uint32_t user_key_len = options.plain->user_key_len;
  if (!last_key_.empty() && !IsAscending(last_key_, internal_key)) {
    status = OutOfOrder(last_key_, internal_key);
    return false;
  }
  if (user_key_len != kPlainTableVariableLength &&
      user_key.size() != user_key_len) {
    status = Status::InvalidArgument(
        options.file_name, "key " + InternalKeyToString(internal_key) +
                               " has " + std::to_string(user_key.size()) +
                               " bytes, user_key_len is " +
                               std::to_string(user_key_len));
  } else if (offset_ + internal_key.size() + value.size() >
             kPlainTableBytesMax) {
    status = Status::NotSupported(
        options.file_name,
        "a plain table is at most 2 GiB: write_buffer_size is too large");
  }
  return status.ok();
}

void PlainTableBuilder::Add(const Slice& internal_key, const Slice& value) {
  if (!status.ok() || !Accepts(internal_key, value)) return;
  if (index_ != nullptr) {
    index_->Add(ExtractUserKey(internal_key), static_cast<uint32_t>(offset_));
  }
  const size_t before = piece_.size();
  records_.Append(internal_key, value, &piece_);
  offset_ += piece_.size() - before;
  if (piece_.size() >= kPlainPieceBytes) WritePiece();
  last_key_.assign(internal_key.data(), internal_key.size());
  CountEntry(internal_key, value, offset_);
}

void PlainTableBuilder::AddRangeDeletion(const Slice& /*begin*/,
                                         const Slice& /*end*/,
                                         SequenceNumber /*sequence*/) {
  if (!status.ok()) return;
  status = Status::NotSupported(options.file_name,
                                "plain tables have no range deletions");
}

void PlainTableBuilder::WritePiece() {
  if (status.ok()) status = file_io::Append(file_, piece_);
  piece_.clear();
}

void PlainTableBuilder::Append(const Slice& bytes) {
  piece_.append(bytes.data(), bytes.size());
  offset_ += bytes.size();
}

void PlainTableBuilder::AppendBlock(const char* name, const std::string& bytes,
                                    PlainTail* tail) {
  tail->blocks[name] = {offset_, bytes.size()};
  Append(bytes);
}

Status PlainTableBuilder::Finish() {
  if (!status.ok()) return status;
  PlainTail tail;
  tail.format = TableFormat::kPlain;
  const PlainTableOptions& plain = *options.plain;
  properties.data_size = offset_;
  properties.num_data_blocks = 1;
  properties.format_version = plain.encoding_type == kPlain ? 0 : 1;
  properties.fixed_key_len = plain.user_key_len;
  auto& more = properties.user_collected_properties;
  PutFixed32(&more[kPlainEncodingProperty],
             static_cast<uint32_t>(plain.encoding_type));
  if (index_ != nullptr) more[kPlainBloomVersionProperty] = "1";
  if (index_ != nullptr && properties.num_entries > 0) {
    const std::string bloom = index_->Bloom();
    if (!bloom.empty()) {
      PutVarint32(&more[kPlainBloomLinesProperty], 0);
      properties.filter_size = bloom.size();
      AppendBlock(kPlainBloomBlockName, bloom, &tail);
    }
    const std::string index = index_->Index();
    properties.index_size = index.size();
    AppendBlock(kPlainIndexBlockName, index, &tail);
    index_.reset();
  }
  collectors.Finish(&properties);
  tail.properties = properties;
  Append(tail.Encode(offset_));
  WritePiece();
  return status;
}

}  // namespace

std::unique_ptr<TableBuilder::Rep> NewPlainTableBuilder(
    const TableBuildOptions& options, WritableFile* file) {
  return std::make_unique<PlainTableBuilder>(options, file);
}

}  // namespace tamis
