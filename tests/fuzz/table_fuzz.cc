// SPDX-License-Identifier: Apache-2.0
//
// A good table with bytes changed at places that the input picks, opened, read
// and walked. It carries no checksums, so that what lies behind them is
// reached.
#include <array>
#include <memory>

#include "tamis/filter_policy.h"

#include "table/table_builder.h"
#include "table/table_reader.h"
#include "tests/fuzz/fuzz_input.h"

namespace tamis {
namespace {

constexpr int kKeys = 200;

std::string KeyOf(int i) { return "key" + std::to_string(1000 + i); }

std::string BuildTable(int kind) {
  TableBuildOptions options{KeyOrder(BytewiseComparator())};
  options.table.checksum = kNoChecksum;
  options.table.block_size = 256;
  options.table.metadata_block_size = 128;
  options.table.filter_policy.reset(NewBloomFilterPolicy(10, kind == 1));
  if (kind == 2) {
    options.table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
    options.table.partition_filters = true;
  }
  if (kind == 3) options.compression = kNoCompression;
  std::string bytes;
  FuzzWritableFile file(&bytes);
  TableBuilder builder(options, &file);
  for (int i = 0; i < kKeys; i++) {
    std::string key;
    AppendInternalKey(&key, KeyOf(i), 7, kTypeValue);
    builder.Add(key, std::string(20, 'v'));
  }
  Claim(builder.Finish().ok());
  return bytes;
}

void ReadAll(const TableReader& table) {
  for (int i = 0; i < kKeys; i += 7) {
    const std::string key = KeyOf(i);
    const LookupKey lookup(key, kMaxSequenceNumber);
    const FilterKey filter_key(key);
    PinnableSlice value;
    GetContext get(&value);
    table.Get(lookup, filter_key, ReadContext(), &get).PermitUncheckedError();
  }
  const auto it = table.NewIterator(ReadContext());
  // More rows than the file has bits is a walk that does not end.
  uint64_t rows = 0;
  for (it->SeekToFirst(); it->Valid(); it->Next()) Claim(rows++ < 1 << 20);
  for (it->SeekToLast(); it->Valid(); it->Prev()) Claim(rows++ < 1 << 21);
  it->Seek(LookupKey("key1100", 9).internal_key());
  it->SeekForPrev(LookupKey("key1100", 9).internal_key());
  table.VerifyChecksums().PermitUncheckedError();
}

void Fuzz(FuzzInput input) {
  static const std::array<std::string, 4> kTables = {
      BuildTable(0), BuildTable(1), BuildTable(2), BuildTable(3)};
  std::string bytes = kTables[input.Byte() % kTables.size()];
  const size_t size = bytes.size();
  while (!input.empty()) {
    // From the end: what matters most stands there.
    const size_t place = input.Short() % size;
    bytes[size - 1 - place] = static_cast<char>(input.Byte());
  }
  TableContext context{KeyOrder(BytewiseComparator())};
  context.file_name = "table";
  context.block_cache = std::make_shared<BlockCache>(1 << 20);
  Result<std::unique_ptr<TableReader>> table = TableReader::Open(
      std::make_unique<FuzzRandomFile>(std::move(bytes)), size, context);
  if (table.ok()) ReadAll(**table);
}

}  // namespace
}  // namespace tamis

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tamis::Fuzz(tamis::FuzzInput(data, size));
  return 0;
}
