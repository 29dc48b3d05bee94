// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as an index, of one level or two, with and without first keys,
// according to the properties; and valid indexes, which lead to the right
// block.
//
//   input := mode u8 | flags u8 | top length u16 | top | partitions
//   flags    bit 0 two levels, 1 user keys, 2 delta-encoded handles,
//            3 first keys (with bit 2, without bit 0)
#include <memory>

#include "table/index_reader.h"
#include "table/properties.h"
#include "tests/fuzz/fuzz_blocks.h"
#include "tests/fuzz/fuzz_input.h"

namespace tamis {
namespace {

const std::string kName = "table";

TableProperties PropertiesOf(uint8_t flags) {
  TableProperties properties;
  properties.index_type =
      (flags & 1) != 0 ? uint32_t{BlockBasedTableOptions::kTwoLevelIndexSearch}
      : (flags & 8) != 0
          ? uint32_t{BlockBasedTableOptions::kBinarySearchWithFirstKey}
          : uint32_t{BlockBasedTableOptions::kBinarySearch};
  properties.index_key_is_user_key = (flags & 2) != 0;
  properties.index_value_is_delta_encoded = (flags & 4) != 0;
  return properties;
}

Footer WithoutChecksums() {
  Footer footer;
  footer.checksum = kNoChecksum;
  return footer;
}

// An index over partitions in `file`.
class Index {
 public:
  Index(uint8_t flags, std::string top, std::string file)
      : file_(file),
        fetcher_(&file_, &kName, file.size(), WithoutChecksums()),
        format_(PropertiesOf(flags), &FuzzOrder()),
        reader_(IndexReader::Open(&format_, ByteBuffer(top), {0, top.size()},
                                  &fetcher_, MetadataPins(), ReadContext())) {}

  // What is wrong with the top level; else there is a reader.
  Status status() const { return reader_.ok() ? Status() : reader_.status(); }
  const IndexReader* reader() const { return reader_->get(); }

 private:
  const FuzzRandomFile file_;
  const BlockFetcher fetcher_;
  const IndexFormat format_;
  const Result<std::unique_ptr<const IndexReader>> reader_;
};

// Each partition may be named by each entry of the top.
constexpr size_t kStepsMax = 1 << 24;

void ScanAnyBytes(const Index& index, const std::string& target) {
  if (!index.status().ok()) {
    Claim(index.status().message().find(kName) != std::string::npos);
    return;
  }
  const ReadContext context;
  IndexIterator it(index.reader(), &context);
  size_t steps = 0;
  for (it.SeekToFirst(); it.Valid(); it.Next()) Claim(steps++ < kStepsMax);
  for (it.SeekToLast(); it.Valid(); it.Prev()) Claim(steps++ < kStepsMax);
  it.Seek(target);
  if (it.Valid()) it.Next();
  it.Seek(target);
  if (it.Valid()) it.Prev();
  if (!it.status().ok()) {
    Claim(it.status().message().find(kName) != std::string::npos);
  }
}

BlockFormat::Values ValuesOf(uint8_t flags) {
  if ((flags & 4) == 0) return BlockFormat::Values::kLengthPrefixed;
  return (flags & 9) == 8 ? BlockFormat::Values::kHandleWithFirstKey
                          : BlockFormat::Values::kHandle;
}

std::string EncodeIndexBlock(std::vector<FuzzEntry> entries, size_t interval,
                             BlockFormat::Values values) {
  if (values == BlockFormat::Values::kLengthPrefixed) {
    for (FuzzEntry& entry : entries) {
      entry.value.clear();
      entry.handle.EncodeTo(&entry.value);
    }
  }
  return EncodeFuzzBlock(entries, interval, values);
}

// Cuts the entries into partitions; the top names each by its last separator.
std::unique_ptr<Index> BuildTwoLevel(const std::vector<FuzzEntry>& entries,
                                     uint8_t flags, size_t interval,
                                     size_t partition_entries) {
  std::string file;
  std::vector<FuzzEntry> top;
  for (size_t begin = 0; begin < entries.size(); begin += partition_entries) {
    const size_t end = std::min(entries.size(), begin + partition_entries);
    const std::vector<FuzzEntry> part(
        entries.begin() + static_cast<std::ptrdiff_t>(begin),
        entries.begin() + static_cast<std::ptrdiff_t>(end));
    const std::string block = EncodeIndexBlock(part, interval, ValuesOf(flags));
    top.push_back(part.back());
    top.back().handle = {.offset = file.size(), .size = block.size()};
    file += block + std::string(kBlockTrailerBytes, '\0');
  }
  return std::make_unique<Index>(
      flags, EncodeIndexBlock(top, interval, ValuesOf(flags)), file);
}

void ClaimSeekLands(IndexIterator* it, const std::vector<FuzzEntry>& entries,
                    bool user_keys, const Slice& internal_key) {
  const auto keys =
      user_keys ? BlockFormat::Keys::kUser : BlockFormat::Keys::kInternal;
  const Slice target = user_keys ? ExtractUserKey(internal_key) : internal_key;
  size_t at = 0;
  while (at < entries.size() && CompareKeys(keys, entries[at].key, target) < 0)
    ++at;
  it->Seek(internal_key);
  Claim(it->status().ok());
  Claim(it->Valid() == (at < entries.size()));
  if (it->Valid()) Claim(it->handle() == entries[at].handle);
}

void BuildAndScan(FuzzInput input, uint8_t flags, const std::string& target) {
  const size_t interval = 1 + input.Byte() % 20;
  const size_t partition_entries = 1 + input.Byte() % 8;
  const bool user_keys = (flags & 2) != 0;
  const auto entries =
      TakeEntries(&input, user_keys ? BlockFormat::Keys::kUser
                                    : BlockFormat::Keys::kInternal);
  const std::unique_ptr<Index> index =
      (flags & 1) != 0
          ? BuildTwoLevel(entries, flags, interval, partition_entries)
          : std::make_unique<Index>(
                flags, EncodeIndexBlock(entries, interval, ValuesOf(flags)),
                "");
  Claim(index->status().ok());
  const ReadContext context;
  IndexIterator it(index->reader(), &context);
  it.SeekToFirst();
  KeyBuffer buffer;
  for (const FuzzEntry& entry : entries) {
    Claim(it.Valid());
    Claim(it.separator(&buffer) == Slice(entry.key));
    Claim(it.handle() == entry.handle);
    it.Next();
  }
  Claim(!it.Valid() && it.status().ok());
  it.SeekToLast();
  for (size_t i = entries.size(); i-- > 0; it.Prev()) {
    Claim(it.Valid());
    Claim(it.handle() == entries[i].handle);
  }
  Claim(!it.Valid() && it.status().ok());
  ClaimSeekLands(&it, entries, user_keys, target);
  for (const FuzzEntry& entry : entries) {
    ClaimSeekLands(&it, entries, user_keys,
                   user_keys ? entry.key + "12345678" : entry.key);
  }
}

void Fuzz(FuzzInput input) {
  const bool build = input.Byte() % 2 == 1;
  const uint8_t flags = input.Byte() % 16;
  if (build) {
    const std::string target = input.Bytes(input.Byte() % 16) + "12345678";
    BuildAndScan(input, flags, target);
    return;
  }
  std::string top = input.Bytes(input.Short());
  const std::string target = top.substr(0, 12) + "12345678";
  ScanAnyBytes(Index(flags, std::move(top), input.Rest()), target);
}

}  // namespace
}  // namespace tamis

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tamis::Fuzz(tamis::FuzzInput(data, size));
  return 0;
}
