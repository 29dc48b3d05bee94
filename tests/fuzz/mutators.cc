// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/mutators.h"

#include <cstdint>
#include <vector>

#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/mutate_directory.h"
#include "tests/fuzz/mutate_log.h"
#include "tests/fuzz/mutate_record.h"
#include "tests/fuzz/mutate_table.h"
#include "util/coding/coding.h"

namespace tamis {

namespace {

// log_fuzz.cc: a mode, then a log.
std::string MutateLogInput(const std::string& input, Mutator* mutator) {
  const char mode = input.empty() ? '\0' : input[0];
  if ((mode & 2) != 0 || mutator->OneIn(16)) {
    std::string out = input;
    mutator->Change(&out);
    return out;
  }
  return mode + MutateLog(input.empty() ? input : input.substr(1),
                          (mode & 1) != 0 ? MutateEdit : MutateBatch, mutator);
}

// recovery_fuzz.cc: records with a byte and a length in front.
std::string MutateRecords(const std::string& input, Mutator* mutator) {
  struct Framed {
    uint8_t to;
    std::string record;
  };
  std::vector<Framed> all;
  for (Decoder in(input); in.ok() && !in.empty();) {
    const uint8_t to = in.Fixed8();
    const uint16_t length = in.Fixed16();
    const size_t n = std::min<size_t>(length, in.remaining());
    all.push_back({to, in.Bytes(n).ToString()});
  }
  if (all.empty()) all.push_back({0, ""});
  if (mutator->OneIn(8)) {
    mutator->Shuffle(&all);
  } else {
    Framed& one = all[mutator->Below(all.size())];
    if (mutator->OneIn(12)) {
      one.to = static_cast<uint8_t>(mutator->Below(8));
    } else {
      one.record = (one.to & 1) != 0 ? MutateBatch(one.record, mutator)
                                     : MutateEdit(one.record, mutator);
    }
  }
  std::string out;
  for (const Framed& one : all) {
    out.push_back(static_cast<char>(one.to));
    PutFixed16(&out, static_cast<uint16_t>(one.record.size()));
    out += one.record;
  }
  return out;
}

// leveldb_fuzz.cc: flags, then a table.
std::string MutateTableBehindFlags(const std::string& input, Mutator* mutator) {
  if (input.empty() || mutator->OneIn(16)) {
    std::string out = input;
    mutator->Change(&out);
    return out;
  }
  return input[0] + MutateTable(input.substr(1), mutator);
}

struct Known {
  std::string_view target;
  InputMutator mutate;
};

constexpr Known kMutators[] = {
    {"batch_fuzz", MutateBatch},
    {"directory_fuzz", MutateDirectory},
    {"leveldb_fuzz", MutateTableBehindFlags},
    {"log_fuzz", MutateLogInput},
    {"recovery_fuzz", MutateRecords},
    {"salvage_fuzz", MutateTable},
    {"table_file_fuzz", MutateTable},
    {"version_edit_fuzz", MutateEdit},
};

}  // namespace

InputMutator FindMutator(std::string_view target) {
  for (const Known& known : kMutators) {
    if (known.target == target) return known.mutate;
  }
  return nullptr;
}

}  // namespace tamis
