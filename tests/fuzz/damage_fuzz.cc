// SPDX-License-Identifier: Apache-2.0
//
// A valid directory with damaged files, opened in each way (fuzz_opens.h).
// Checksums are not corrected: no result may be wrong, and nothing may appear
// that was never written.
//
//   input  := base u8 | way u8 | flags u8 | damage*
//   damage := file u8 | what u8 | place u16 | byte u8
#include <array>
#include <iterator>

#include "tests/fuzz/fuzz_directories.h"
#include "tests/fuzz/fuzz_opens.h"

namespace tamis {
namespace {

constexpr size_t kDamagesMax = 8;

void Damage(FuzzFiles* files, FuzzInput* input) {
  auto file = files->begin();
  std::advance(file, input->Byte() % files->size());
  const uint8_t what = input->Byte() % 8;
  std::string& bytes = file->second;
  const size_t place = bytes.empty() ? 0 : input->Short() % bytes.size();
  const uint8_t byte = input->Byte();
  switch (what) {
    case 0:
      bytes.resize(place);
      return;
    case 1:
      files->erase(file);
      return;
    case 2:
      bytes.append(byte, 'x');
      return;
    case 3: {  // a lost piece
      const size_t n = std::min<size_t>(bytes.size() - place, size_t{byte} * 8);
      std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(place), n, '\0');
      return;
    }
    case 4: {
      // Another file's contents. Of two logs nothing tells which is which.
      const auto other =
          std::next(files->begin(), byte % static_cast<int>(files->size()));
      const bool logs =
          file->first.ends_with(".log") && other->first.ends_with(".log");
      if (!logs) bytes = other->second;
      return;
    }
    case 5:
      bytes.erase(place, byte);
      return;
    default:
      if (!bytes.empty()) {
        bytes[place] = static_cast<char>(bytes[place] ^ byte);
      }
  }
}

void Fuzz(FuzzInput input) {
  static const auto* const kBases = new std::array<FuzzBase, 3>{
      MakeFuzzBase(), MakeFuzzFamiliesBase(), MakeFuzzLevelDBBase()};
  const FuzzBase& base = (*kBases)[input.Byte() % kBases->size()];
  const unsigned way = input.Byte() % 8;
  const uint8_t flags = input.Byte();
  FuzzFiles files = base.files;
  for (size_t i = 0; i < kDamagesMax && !input.empty() && !files.empty(); ++i) {
    Damage(&files, &input);
  }
  OpenFuzzFiles(files, way, flags, &base.history);
}

}  // namespace
}  // namespace tamis

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tamis::Fuzz(tamis::FuzzInput(data, size));
  return 0;
}
