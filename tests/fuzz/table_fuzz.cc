// SPDX-License-Identifier: Apache-2.0
//
// A valid table with bytes changed at places that the input picks, opened, read
// and scanned. If it has checksums, a change of two bytes before the footer is
// detected or harmless: no result is wrong.
//
//   input := kind u8 | (place from the end u16 | byte u8)*
#include <array>
#include <iterator>

#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/fuzz_tables.h"

namespace tamis {
namespace {

constexpr size_t kTables = std::size(kFuzzTableKinds) + kOtherFuzzTables;

const FuzzRows& Rows() {
  static const FuzzRows rows = FuzzTableRows(60);
  return rows;
}

const std::string& Table(size_t kind) {
  static const auto* const tables = [] {
    auto* all = new std::array<std::string, kTables>;
    for (size_t i = 0; i < all->size(); ++i) {
      (*all)[i] =
          i < std::size(kFuzzTableKinds)
              ? BuildFuzzTable(kFuzzTableKinds[i], Rows())
              : BuildOtherFuzzTable(i - std::size(kFuzzTableKinds), Rows());
    }
    return all;
  }();
  return (*tables)[kind];
}

void Fuzz(FuzzInput input) {
  const size_t kind = input.Byte() % kTables;
  const bool right = kind < std::size(kFuzzTableKinds) &&
                     kFuzzTableKinds[kind].checksum != kNoChecksum;
  std::string bytes = Table(kind);
  const size_t size = bytes.size();
  // From the end, where the most important parts are.
  if (right) {
    const size_t room = size - kFooterBytes - 1;
    const size_t place = room - 1 - input.Short() % room;
    bytes[place] = static_cast<char>(bytes[place] ^ input.Byte());
    bytes[place + 1] = static_cast<char>(bytes[place + 1] ^ input.Byte());
  }
  while (!right && !input.empty()) {
    const size_t place = input.Short() % size;
    bytes[size - 1 - place] = static_cast<char>(input.Byte());
  }
  const auto table = OpenFuzzTable(std::move(bytes));
  if (table.ok()) {
    ReadFuzzTable(**table, right ? &Rows() : nullptr);
  } else {
    Claim(table.status().message().find("table") != std::string::npos);
  }
}

}  // namespace
}  // namespace tamis

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tamis::Fuzz(tamis::FuzzInput(data, size));
  return 0;
}
