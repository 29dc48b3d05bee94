// SPDX-License-Identifier: Apache-2.0
#include "table/translated_table.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "table/block_builder.h"
#include "table/cuckoo_table_source.h"
#include "table/entry_source.h"
#include "table/plain_table_source.h"
#include "table/table_file_writer.h"
#include "table/table_format.h"

namespace tamis {

namespace {

constexpr int kRestartInterval = 16;
constexpr BlockCutRule kCutRule;

// Keeps what is appended from some offset on.
class TailSink final : public WritableFile {
 public:
  void KeepFrom(uint64_t offset) { keep_from_ = offset; }
  std::string TakeTail() { return std::move(tail_); }

  Status Append(const Slice& data) override {
    const uint64_t end = size_ + data.size();
    if (end > keep_from_) {
      const auto skip =
          static_cast<size_t>(keep_from_ > size_ ? keep_from_ - size_ : 0);
      tail_.append(data.data() + skip, data.size() - skip);
    }
    size_ = end;
    return Status::OK();
  }
  Status Flush() override { return Status::OK(); }
  Status Sync() override { return Status::OK(); }
  Status Close() override { return Status::OK(); }
  uint64_t GetFileSize() const override { return size_; }

 private:
  uint64_t size_ = 0;
  uint64_t keep_from_ = UINT64_MAX;
  std::string tail_;
};

// The entries of a data block: those from `begin` on, up to that of the next.
struct TranslatedBlock {
  uint64_t offset;  // in the translated file
  EntryPosition begin;
};

class TranslatedFile final : public RandomAccessFile {
 public:
  TranslatedFile(std::unique_ptr<RandomAccessFile> base,
                 std::unique_ptr<EntrySource> source,
                 std::vector<TranslatedBlock> blocks, uint64_t tail_offset,
                 std::string tail, std::string file_name)
      : base_(std::move(base)),
        source_(std::move(source)),
        blocks_(std::move(blocks)),
        tail_offset_(tail_offset),
        tail_(std::move(tail)),
        file_name_(std::move(file_name)) {}

  Status Read(uint64_t offset, size_t n, Slice* result,
              char* scratch) const override;

 private:
  uint64_t EndOf(size_t block) const {
    return block + 1 < blocks_.size() ? blocks_[block + 1].offset
                                      : tail_offset_;
  }
  // Sets *bytes to a data block with its trailer.
  Status Encode(size_t block, std::string* bytes) const;

  const std::unique_ptr<RandomAccessFile> base_;  // which the source reads
  const std::unique_ptr<EntrySource> source_;
  const std::vector<TranslatedBlock> blocks_;
  const uint64_t tail_offset_;
  const std::string tail_;
  const std::string file_name_;
};

Status TranslatedFile::Encode(size_t block, std::string* bytes) const {
  const uint64_t end =
      block + 1 < blocks_.size() ? blocks_[block + 1].begin.at : source_->end();
  BlockBuilder builder(kRestartInterval);
  TAMIS_RETURN_IF_ERROR(source_->Scan(
      blocks_[block].begin, end,
      [&](const Slice& key, const Slice& value, const auto& /*position*/) {
        builder.Add(key, value);
        return Status::OK();
      }));
  *bytes = builder.Finish().ToString();
  bytes->push_back(kNoCompression);
  PutFixed32(bytes, 0);
  const uint64_t expected = EndOf(block) - blocks_[block].offset;
  if (bytes->size() == expected) return Status::OK();
  return Status::Corruption(
      file_name_, "the entries of block " + std::to_string(block) +
                      " have changed since the table was opened: " +
                      std::to_string(bytes->size()) + " bytes, expected " +
                      std::to_string(expected));
}

Status TranslatedFile::Read(uint64_t offset, size_t n, Slice* result,
                            char* scratch) const {
  size_t done = 0;
  const auto take = [&](const std::string& bytes, uint64_t from) {
    const auto skip = static_cast<size_t>(offset + done - from);
    const size_t got = std::min(n - done, bytes.size() - skip);
    std::copy_n(bytes.data() + skip, got, scratch + done);
    done += got;
  };
  std::string block;
  while (done < n && offset + done < tail_offset_) {
    const auto after = std::upper_bound(
        blocks_.begin(), blocks_.end(), offset + done,
        [](uint64_t at, const TranslatedBlock& b) { return at < b.offset; });
    const auto i = static_cast<size_t>(after - blocks_.begin()) - 1;
    TAMIS_RETURN_IF_ERROR(Encode(i, &block));
    take(block, blocks_[i].offset);
  }
  if (done < n && offset + done - tail_offset_ < tail_.size()) {
    take(tail_, tail_offset_);
  }
  *result = Slice(scratch, done);
  return Status::OK();
}

// Reads the entries of a table, and writes the file that is read later, of
// which it keeps all but the data blocks.
class Translation {
 public:
  Translation(const EntrySource& source, const TableContext& context)
      : source_(source),
        context_(context),
        options_(Options(source, context)),
        writer_(options_, &sink_),
        builder_(kRestartInterval) {}

  Status Run();
  std::vector<TranslatedBlock> TakeBlocks() { return std::move(blocks_); }
  std::string TakeTail() { return sink_.TakeTail(); }
  uint64_t tail_offset() const { return tail_offset_; }
  uint64_t size() const { return sink_.GetFileSize(); }

 private:
  static TableBuildOptions Options(const EntrySource& source,
                                   const TableContext& context);
  Status Add(const Slice& key, const Slice& value,
             const std::function<EntryPosition()>& position);
  // Ends the open block, before this key.
  void EndBlock(const Slice& next_key);

  const EntrySource& source_;
  const TableContext& context_;
  const TableBuildOptions options_;
  TailSink sink_;
  TableFileWriter writer_;
  BlockBuilder builder_;
  RawDataBlock block_;
  std::vector<TranslatedBlock> blocks_;
  uint64_t num_entries_ = 0;
  uint64_t tail_offset_ = 0;
};

TableBuildOptions Translation::Options(const EntrySource& source,
                                       const TableContext& context) {
  TableBuildOptions options(context.order);
  options.table.checksum = kNoChecksum;
  options.table.filter_policy =
      context.skip_filters ? nullptr : context.filter_policy;
  options.compression = kNoCompression;
  options.prefix_extractor = context.prefix_extractor;
  options.expected_keys = source.properties().num_entries;
  options.block_cache = context.block_cache.get();
  options.bytes_per_sync = 0;
  options.file_name = context.file_name;
  return options;
}

void Translation::EndBlock(const Slice& next_key) {
  block_.last_key.Clear();
  block_.last_key.Append(builder_.last_key());
  block_.next_key.Clear();
  block_.next_key.Append(next_key);
  builder_.FinishInto(&block_.bytes);
  writer_.AddDataBlock(block_);
}

Status Translation::Add(const Slice& key, const Slice& value,
                        const std::function<EntryPosition()>& position) {
  const Slice last = builder_.last_key();
  if (num_entries_ > 0 && context_.order.Compare(last, key) >= 0) {
    return Status::Corruption(
        context_.file_name,
        "key " + PrintableInternalKey(key) + " does not sort after " +
            PrintableInternalKey(last) + ", the key before");
  }
  ParsedInternalKey parsed;
  if (!ParseEntryKey(key, &parsed)) {
    return Status::Corruption(context_.file_name,
                              "key " + PrintableInternalKey(key) +
                                  " has a type that the table cannot store");
  }
  if (!builder_.empty() &&
      kCutRule.ShouldCut(builder_, key.size(), value.size())) {
    EndBlock(key);
    TAMIS_RETURN_IF_ERROR(writer_.status());
  }
  if (builder_.empty()) blocks_.push_back({writer_.offset(), position()});
  builder_.Add(key, value);
  ++num_entries_;
  return Status::OK();
}

Status Translation::Run() {
  TAMIS_RETURN_IF_ERROR(writer_.status());
  TAMIS_RETURN_IF_ERROR(source_.Scan(
      EntryPosition(), source_.end(),
      [this](const Slice& key, const Slice& value, const auto& position) {
        return Add(key, value, position);
      }));
  if (num_entries_ != source_.properties().num_entries) {
    return Status::Corruption(
        context_.file_name,
        "it has " + std::to_string(num_entries_) +
            " entries, its properties say " +
            std::to_string(source_.properties().num_entries));
  }
  if (!builder_.empty()) EndBlock(Slice());
  tail_offset_ = writer_.offset();
  sink_.KeepFrom(tail_offset_);
  // What describes blocks, index and filter is replaced.
  TableProperties properties = source_.properties();
  properties.index_type = options_.table.index_type;
  properties.index_size = 0;
  properties.filter_size = 0;
  properties.num_filter_entries = 0;
  // The new filter has the prefixes of this extractor.
  properties.prefix_extractor_name = context_.prefix_extractor != nullptr
                                         ? context_.prefix_extractor->GetId()
                                         : "nullptr";
  writer_.Finish(/*tombstones=*/Slice(), &properties);
  return writer_.status();
}

}  // namespace

Result<std::unique_ptr<EntrySource>> OpenEntrySource(
    const RandomAccessFile* file, uint64_t file_size,
    const TableContext& context) {
  auto tail = PlainTail::Read(*file, file_size, context.file_name);
  if (!tail.ok()) return tail.status();
  return tail->format == TableFormat::kPlain
             ? NewPlainTableSource(file, *std::move(tail), context.file_name)
             : NewCuckooTableSource(file, *std::move(tail), context.order,
                                    context.file_name);
}

Result<TranslatedTable> TranslateTable(std::unique_ptr<RandomAccessFile> file,
                                       uint64_t file_size,
                                       const TableContext& context) {
  auto source = OpenEntrySource(file.get(), file_size, context);
  if (!source.ok()) return source.status();
  Translation translation(**source, context);
  TAMIS_RETURN_IF_ERROR(translation.Run());
  TranslatedTable table;
  table.size = translation.size();
  std::vector<TranslatedBlock> blocks = translation.TakeBlocks();
  table.memory_usage =
      (*source)->memory_usage() + blocks.capacity() * sizeof(TranslatedBlock) +
      static_cast<size_t>(table.size - translation.tail_offset());
  table.file = std::make_unique<TranslatedFile>(
      std::move(file), *std::move(source), std::move(blocks),
      translation.tail_offset(), translation.TakeTail(), context.file_name);
  return table;
}

}  // namespace tamis
