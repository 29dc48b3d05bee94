// SPDX-License-Identifier: Apache-2.0
#include "table/cuckoo_table_builder.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "table/cuckoo_buckets.h"
#include "table/table_format.h"
#include "util/io/file_io.h"

namespace tamis {

namespace {

// Buckets are appended to the file in pieces of about this size.
constexpr size_t kPieceBytes = 64 << 10;
// What fills buckets behind their entries, as in RocksDB.
constexpr char kFiller = 'a';

// Sets *key to the one before or after it in bytewise order, of the same
// length. Returns false if there is none.
bool Step(std::string* key, int by) {
  const char last = by < 0 ? '\0' : '\xff';
  for (size_t i = key->size(); i > 0; --i) {
    char& byte = (*key)[i - 1];
    const bool carries = byte == last;
    byte = static_cast<char>(byte + by);
    if (!carries) return true;
  }
  return false;
}

class CuckooTableBuilder final : public TableBuilder::Rep {
 public:
  CuckooTableBuilder(const TableBuildOptions& build_options, WritableFile* file)
      : Rep(build_options), file_(file) {}

  void Add(const Slice& internal_key, const Slice& value) override;
  void AddRangeDeletion(const Slice& begin, const Slice& end,
                        SequenceNumber sequence) override;
  Status Finish() override;
  void Abandon() override { bytes_ = std::string(); }
  Slice last_key() const override { return last_key_; }
  uint64_t EstimatedFileSize() override {
    return static_cast<uint64_t>(static_cast<double>(bytes_.size()) /
                                 options.cuckoo->hash_table_ratio);
  }
  bool HasReached(uint64_t file_size) override {
    return EstimatedFileSize() >= file_size;
  }
  uint64_t FileSize() const override { return file_size_; }
  std::string DescribeFormat() const override {
    return other_ != nullptr ? "block-based (no cuckoo table: " + why_not_ + ")"
                             : "cuckoo";
  }
  std::string DescribeFilters() const override {
    return other_ != nullptr ? other_->DescribeFilters() : "none";
  }
  const std::string& filter_reason() const override {
    return other_ != nullptr ? other_->filter_reason() : reason_;
  }

 private:
  struct Entry {
    size_t offset;  // in bytes_, of the internal key; the value follows
    size_t key_bytes;
    size_t value_bytes;
  };
  struct RangeDeletion {
    std::string begin;
    std::string end;
    SequenceNumber sequence;
  };

  Slice KeyOf(const Entry& entry) const {
    return {bytes_.data() + entry.offset, entry.key_bytes};
  }
  Slice ValueOf(const Entry& entry) const {
    return {bytes_.data() + entry.offset + entry.key_bytes, entry.value_bytes};
  }
  Slice UserKeyOf(const Entry& entry) const {
    return ExtractUserKey(KeyOf(entry));
  }
  bool IsValue(const Entry& entry) const {
    return (ExtractTail(KeyOf(entry)) & 0xff) == kTypeValue;
  }
  // Return why the format cannot store the entries; empty if it can.
  std::string WhyNotUniform() const;
  std::string WhyNot();
  // Sets the sizes of the layout.
  void PlanLayout();
  // Sets its empty key. Returns false if every key of that length might be
  // used.
  bool FindEmptyKey();
  Status WriteBuckets(const std::vector<uint32_t>& entries);
  Status WriteBlockBased();

  WritableFile* const file_;
  std::string bytes_;
  std::vector<Entry> entries_;
  std::vector<RangeDeletion> range_deletions_;
  std::string last_key_;
  std::string smallest_;  // user keys, by their bytes
  std::string largest_;
  CuckooLayout layout_;
  uint64_t file_size_ = 0;
  const std::string reason_ = "the table is a hash table";
  std::string why_not_;         // why it is not a cuckoo table, if it is not
  std::unique_ptr<Rep> other_;  // wrote the table as a block-based one
};

void CuckooTableBuilder::Add(const Slice& internal_key, const Slice& value) {
  if (!status.ok()) return;
  CheckForm(internal_key);
  const Slice user_key = ExtractUserKey(internal_key);
  if (!last_key_.empty() && !IsAscending(last_key_, internal_key)) {
    status = OutOfOrder(last_key_, internal_key);
    return;
  }
  if (entries_.empty() || user_key.compare(smallest_) < 0) {
    smallest_ = user_key.ToString();
  }
  if (entries_.empty() || user_key.compare(largest_) > 0) {
    largest_ = user_key.ToString();
  }
  entries_.push_back({bytes_.size(), internal_key.size(), value.size()});
  bytes_.append(internal_key.data(), internal_key.size());
  bytes_.append(value.data(), value.size());
  last_key_.assign(internal_key.data(), internal_key.size());
  CountEntry(internal_key, value, bytes_.size());
}

void CuckooTableBuilder::AddRangeDeletion(const Slice& begin, const Slice& end,
                                          SequenceNumber sequence) {
  range_deletions_.push_back({begin.ToString(), end.ToString(), sequence});
}

std::string CuckooTableBuilder::WhyNotUniform() const {
  if (entries_.empty()) return "it has no entries";
  if (!range_deletions_.empty()) return "it has range deletions";
  if (has_versions) return "it has several versions of a key";
  if (!options.order.equal_keys_have_equal_bytes()) {
    return "keys with different bytes may be equal";
  }
  const size_t key_bytes = entries_.front().key_bytes;
  std::optional<size_t> value_bytes;
  for (const Entry& entry : entries_) {
    if (entry.key_bytes != key_bytes) return "its keys differ in length";
    if (IsValue(entry)) {
      if (value_bytes.value_or(entry.value_bytes) != entry.value_bytes) {
        return "its values differ in length";
      }
      value_bytes = entry.value_bytes;
    } else if ((ExtractTail(KeyOf(entry)) & 0xff) != kTypeDeletion) {
      return "it has entries that are neither values nor deletions";
    }
  }
  if (key_bytes + value_bytes.value_or(0) > UINT32_MAX) {
    return "its entries are too large";
  }
  if (options.cuckoo->identity_as_first_hash &&
      key_bytes < kInternalKeyTailBytes + sizeof(uint64_t)) {
    return "its keys are shorter than 8 bytes";
  }
  return {};
}

void CuckooTableBuilder::PlanLayout() {
  const CuckooTableOptions& cuckoo = *options.cuckoo;
  const auto is_plain = [this](const Entry& entry) {
    return ExtractTail(KeyOf(entry)) == PackSequenceAndType(0, kTypeValue);
  };
  layout_.only_user_keys =
      std::all_of(entries_.begin(), entries_.end(), is_plain);
  layout_.key_bytes = entries_.front().key_bytes;
  layout_.user_key_bytes =
      static_cast<uint32_t>(layout_.key_bytes - kInternalKeyTailBytes);
  if (layout_.only_user_keys) layout_.key_bytes = layout_.user_key_bytes;
  for (const Entry& entry : entries_) {
    if (IsValue(entry)) layout_.value_bytes = entry.value_bytes;
  }
  layout_.block_size = std::max(cuckoo.cuckoo_block_size, 1u);
  layout_.num_hashes = 2;
  layout_.identity_first = cuckoo.identity_as_first_hash;
  layout_.modulo = cuckoo.use_module_hash;
  layout_.hash_size = static_cast<uint64_t>(
      static_cast<double>(entries_.size()) / cuckoo.hash_table_ratio);
  if (!layout_.modulo) {
    layout_.hash_size = std::max<uint64_t>(std::bit_ceil(layout_.hash_size), 2);
  }
}

bool CuckooTableBuilder::FindEmptyKey() {
  std::string& key = layout_.empty_key;
  key = smallest_;
  if (!Step(&key, -1)) {
    key = largest_;
    if (!Step(&key, 1)) return false;
  }
  if (!layout_.only_user_keys) {
    PutFixed64(&key, PackSequenceAndType(0, kTypeValue));
  }
  return true;
}

std::string CuckooTableBuilder::WhyNot() {
  std::string why = WhyNotUniform();
  if (!why.empty()) return why;
  PlanLayout();
  if (layout_.bucket_bytes() == 0 || !FindEmptyKey()) {
    return "no key is left to mark empty buckets";
  }
  return layout_.num_buckets() >= CuckooBuckets::kEmpty
             ? "it has too many entries"
             : "";
}

Status CuckooTableBuilder::Finish() {
  if (!status.ok()) return status;
  why_not_ = WhyNot();
  if (why_not_.empty()) {
    CuckooBuckets buckets(
        &layout_, options.cuckoo->max_search_depth,
        [this](uint32_t i) { return UserKeyOf(entries_[i]); });
    const auto n = static_cast<uint32_t>(entries_.size());
    uint32_t put = 0;
    while (put < n && buckets.Put(put)) ++put;
    if (put == n) {
      status = WriteBuckets(buckets.entries());
      bytes_ = std::string();
      return status;
    }
    why_not_ = "its keys have too many collisions";
  }
  status = WriteBlockBased();
  bytes_ = std::string();
  return status;
}

Status CuckooTableBuilder::WriteBuckets(const std::vector<uint32_t>& entries) {
  std::string empty = layout_.empty_key;
  empty.resize(static_cast<size_t>(layout_.bucket_bytes()), kFiller);
  const std::string no_value(static_cast<size_t>(layout_.value_bytes), kFiller);
  std::string piece;
  const auto write = [&] {
    file_size_ += piece.size();
    TAMIS_RETURN_IF_ERROR(file_io::Append(file_, piece));
    piece.clear();
    return Status::OK();
  };
  for (const uint32_t i : entries) {
    if (i == CuckooBuckets::kEmpty) {
      piece += empty;
    } else {
      const Entry& entry = entries_[i];
      piece.append(KeyOf(entry).data(), static_cast<size_t>(layout_.key_bytes));
      const Slice value = IsValue(entry) ? ValueOf(entry) : Slice(no_value);
      piece.append(value.data(), value.size());
    }
    if (piece.size() >= kPieceBytes) TAMIS_RETURN_IF_ERROR(write());
  }
  TAMIS_RETURN_IF_ERROR(write());
  layout_.SetIn(&properties);
  properties.data_size = file_size_;
  properties.num_data_blocks = 1;
  properties.format_version = 1;
  collectors.Finish(&properties);
  PlainTail tail;
  tail.format = TableFormat::kCuckoo;
  tail.properties = properties;
  piece = tail.Encode(file_size_);
  return write();
}

// The collectors have seen the entries: those of the other writer are none.
Status CuckooTableBuilder::WriteBlockBased() {
  TableBuildOptions block_based = options;
  block_based.collector_factories.clear();
  other_ = NewBlockBasedTableBuilder(block_based, file_);
  for (const Entry& entry : entries_) other_->Add(KeyOf(entry), ValueOf(entry));
  for (const RangeDeletion& deletion : range_deletions_) {
    other_->AddRangeDeletion(deletion.begin, deletion.end, deletion.sequence);
  }
  other_->properties.property_collectors_names =
      properties.property_collectors_names;
  collectors.Finish(&other_->properties);
  other_->Close();
  TAMIS_RETURN_IF_ERROR(other_->Finish());
  properties = other_->properties;
  file_size_ = other_->FileSize();
  return Status::OK();
}

}  // namespace

std::unique_ptr<TableBuilder::Rep> NewCuckooTableBuilder(
    const TableBuildOptions& options, WritableFile* file) {
  return std::make_unique<CuckooTableBuilder>(options, file);
}

}  // namespace tamis
