// SPDX-License-Identifier: Apache-2.0
#include "table/plain_table_source.h"

#include <algorithm>
#include <utility>

#include "table/plain_table_index.h"
#include "table/plain_table_records.h"
#include "util/base/byte_buffer.h"
#include "util/io/file_io.h"

namespace tamis {

namespace {

// How much of the records is read at once, if so much is wanted.
constexpr uint64_t kRecordsReadBytes = 1 << 20;

// The context of a position: its prefix_len, and the key before.
std::string ContextOfPosition(const PlainPosition& position) {
  if (position.last_key.empty() && position.prefix_len == 0) return {};
  std::string context;
  PutFixed32(&context, position.prefix_len);
  return context + position.last_key;
}

PlainPosition PositionOf(const EntryPosition& entry) {
  PlainPosition position;
  position.offset = entry.at;
  if (entry.context.size() < sizeof(uint32_t)) return position;
  position.prefix_len = DecodeFixed32(entry.context.data());
  position.last_key = entry.context.substr(sizeof(uint32_t));
  return position;
}

// Bytes [begin, ...) of a file, up to `end`.
class Window {
 public:
  Window(const RandomAccessFile& file, const std::string& file_name,
         uint64_t begin, uint64_t end)
      : file_(file), file_name_(file_name), begin_(begin), end_(end) {}

  Slice bytes() const { return bytes_; }
  uint64_t offset() const { return begin_; }
  uint64_t left() const { return end_ - begin_; }
  void Skip(size_t n) {
    begin_ += n;
    bytes_.remove_prefix(n);
  }
  // Reads on, so that there are n bytes, or all up to the end.
  Status Fill(size_t n) {
    const auto wanted = static_cast<size_t>(
        std::min(left(), std::max<uint64_t>(n, kRecordsReadBytes)));
    memory_.Clear();
    TAMIS_RETURN_IF_ERROR(
        file_io::Read(file_, begin_, wanted, &bytes_, memory_.Room(wanted)));
    if (bytes_.size() == wanted) return Status::OK();
    return Status::Corruption(
        file_name_, "records at offset " + std::to_string(begin_) +
                        ": short read, expected " + std::to_string(wanted) +
                        " bytes, got " + std::to_string(bytes_.size()));
  }

 private:
  const RandomAccessFile& file_;
  const std::string& file_name_;
  uint64_t begin_;
  const uint64_t end_;
  Slice bytes_;
  ByteBuffer memory_;
};

class PlainTableSource final : public EntrySource {
 public:
  PlainTableSource(const RandomAccessFile* file, const PlainKeyForm& form,
                   PlainTail tail, std::string file_name)
      : file_(*file),
        form_(form),
        tail_(std::move(tail)),
        file_name_(std::move(file_name)) {}

  Status Scan(const EntryPosition& begin, uint64_t end,
              const Visit& visit) const override;
  uint64_t end() const override { return tail_.properties.data_size; }
  const TableProperties& properties() const override {
    return tail_.properties;
  }
  size_t memory_usage() const override { return sizeof(*this); }

 private:
  // Reads the next record.
  Status Next(Window* window, PlainRecordReader* reader) const;

  const RandomAccessFile& file_;
  const PlainKeyForm form_;
  const PlainTail tail_;
  const std::string file_name_;
};

Status PlainTableSource::Next(Window* window, PlainRecordReader* reader) const {
  using Answer = PlainRecordReader::Answer;
  const uint64_t left = window->left();
  for (;;) {
    const Answer answer = reader->Read(window->bytes());
    if (answer == Answer::kRecord) return Status::OK();
    if (answer == Answer::kMalformed || window->bytes().size() == left) {
      return Status::Corruption(
          file_name_,
          "the record at offset " + std::to_string(window->offset()) +
              (answer == Answer::kMalformed
                   ? " is malformed"
                   : " needs more than the " + std::to_string(left) +
                         " bytes up to the end of the data"));
    }
    if (reader->bytes_needed() > left) {
      // A few bytes may be enough for a short record at the end.
      TAMIS_RETURN_IF_ERROR(window->Fill(static_cast<size_t>(left)));
      continue;
    }
    TAMIS_RETURN_IF_ERROR(window->Fill(reader->bytes_needed()));
  }
}

Status PlainTableSource::Scan(const EntryPosition& begin, uint64_t end,
                              const Visit& visit) const {
  PlainRecordReader reader(form_);
  const PlainPosition start = PositionOf(begin);
  reader.StartAt(start);
  PlainPosition at = start;
  Window window(file_, file_name_, begin.at, end);
  const auto position = [&] {
    return EntryPosition{at.offset, ContextOfPosition(at)};
  };
  while (window.left() > 0) {
    TAMIS_RETURN_IF_ERROR(Next(&window, &reader));
    TAMIS_RETURN_IF_ERROR(visit(reader.key(), reader.value(), position));
    window.Skip(reader.size());
    at = reader.Next(window.offset());
  }
  return Status::OK();
}

}  // namespace

Result<std::unique_ptr<EntrySource>> NewPlainTableSource(
    const RandomAccessFile* file, PlainTail tail,
    const std::string& file_name) {
  const TableProperties& p = tail.properties;
  PlainKeyForm form;
  const auto found = p.user_collected_properties.find(kPlainEncodingProperty);
  if (found != p.user_collected_properties.end()) {
    if (found->second.size() != sizeof(uint32_t)) {
      return Status::Corruption(
          file_name,
          std::string("properties: malformed ") + kPlainEncodingProperty);
    }
    const uint32_t encoding = DecodeFixed32(found->second.data());
    if (encoding > kPrefix) {
      return Status::NotSupported(
          file_name,
          "encoding " + std::to_string(encoding) + " of a plain table");
    }
    form.encoding = static_cast<EncodingType>(encoding);
  }
  if (p.data_size > kPlainTableBytesMax) {
    return Status::NotSupported(
        file_name, std::to_string(p.data_size) +
                       " bytes of records: a plain table has at most 2 GiB");
  }
  if (p.data_size > tail.begin || p.fixed_key_len > UINT32_MAX) {
    return Status::Corruption(
        file_name, "properties: " + std::to_string(p.data_size) +
                       " bytes of data, but the next block is at offset " +
                       std::to_string(tail.begin) + "; keys of " +
                       std::to_string(p.fixed_key_len) + " bytes");
  }
  form.user_key_len = static_cast<uint32_t>(p.fixed_key_len);
  return std::unique_ptr<EntrySource>(std::make_unique<PlainTableSource>(
      file, form, std::move(tail), file_name));
}

}  // namespace tamis
