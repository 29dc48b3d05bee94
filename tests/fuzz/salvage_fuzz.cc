// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a table that is salvaged. Entries come in order; if no block is
// lost, they are those that a reader shows.
#include <string>
#include <utility>

#include "table/table_salvage.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/fuzz_tables.h"

namespace tamis {
namespace {

TableContext Context() {
  TableContext context{KeyOrder(BytewiseComparator())};
  context.file_name = "table";
  return context;
}

// A compressed block may hold more than anybody wants to keep.
constexpr size_t kRowsMax = 1 << 16;

// False: it does not read to its end.
bool ReadRows(const TableReader& table, FuzzRows* rows) {
  const auto it = table.NewIterator(ReadContext());
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    if (rows->size() == kRowsMax) return false;
    rows->emplace_back(it->key().ToString(), it->value().ToString());
  }
  return it->status().ok();
}

void Fuzz(FuzzInput input) {
  const std::string bytes = input.Rest();
  const KeyOrder order(BytewiseComparator());
  FuzzRows rows;
  bool all = true;
  const auto salvaged = TableSalvage::Run(
      std::make_unique<FuzzRandomFile>(bytes), bytes.size(), Context(),
      [&](const Slice& key, const Slice& value) {
        Claim(key.size() >= kInternalKeyTailBytes);
        Claim(rows.empty() || order.Compare(rows.back().first, key) < 0);
        all = rows.size() < kRowsMax;
        if (all) rows.emplace_back(key.ToString(), value.ToString());
        return Status::OK();
      });
  TableSalvage::ReadProperties(std::make_unique<FuzzRandomFile>(bytes),
                               bytes.size(), Context())
      .status()
      .PermitUncheckedError();
  if (!salvaged.ok()) {
    Claim(salvaged.status().message().find("table") != std::string::npos);
    return;
  }
  Claim(!all || salvaged->entries == rows.size());
  if (salvaged->index_lost || salvaged->blocks_lost != 0 || !all) return;
  const auto table = OpenFuzzTable(bytes);
  FuzzRows read;
  if (table.ok() && ReadRows(**table, &read)) Claim(read == rows);
}

}  // namespace
}  // namespace tamis

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tamis::Fuzz(tamis::FuzzInput(data, size));
  return 0;
}
