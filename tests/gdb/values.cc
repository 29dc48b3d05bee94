// SPDX-License-Identifier: Apache-2.0
//
// Values for tests/gdb/print.gdb, which stops at Show and prints them.
#include <string>

#include "tamis/slice.h"
#include "tamis/status.h"

#include "db/manifest/version_edit.h"
#include "table/block.h"
#include "table/block_builder.h"
#include "table/internal_key.h"

namespace {

// Not inlined: the debugger stops here.
[[gnu::noinline]] void Show() { asm volatile(""); }

std::string InternalKey(const char* user_key, uint64_t sequence,
                        tamis::ValueType type) {
  std::string key;
  tamis::AppendInternalKey(&key, user_key, sequence, type);
  return key;
}

}  // namespace

int main() {
  [[maybe_unused]] const tamis::Slice plain = "apple";
  [[maybe_unused]] const tamis::Slice binary("a\"\0\xff", 4);
  [[maybe_unused]] const tamis::Slice empty;
  const std::string long_text(100, 'x');
  [[maybe_unused]] const tamis::Slice long_slice = long_text;

  [[maybe_unused]] const tamis::Status ok;
  const tamis::Status corruption =
      tamis::Status::Corruption("000012.sst", "block at offset 0");
  const tamis::Status no_space = tamis::Status::NoSpace("LOG");
  const tamis::Status bare = tamis::Status::MemoryLimit();

  const std::string stored = InternalKey("apple", 7, tamis::kTypeValue);
  const tamis::Slice internal = stored;
  [[maybe_unused]] const tamis::Slice too_short = "abc";
  tamis::ParsedInternalKey parsed;
  tamis::ParseInternalKey(internal, &parsed);
  const tamis::LookupKey lookup("pear", 9);

  tamis::FileMetaData meta;
  meta.number = tamis::FileNumber(12);
  meta.size = 4096;
  meta.smallest = stored;
  meta.largest = InternalKey("pear", 3, tamis::kTypeDeletion);

  tamis::BlockBuilder builder(16);
  builder.Add("apple", "green");
  builder.Add("apricot", "orange");
  builder.Add("cherry", "");
  const tamis::Slice block = builder.Finish();
  tamis::BlockParts parts;
  const tamis::Status parsed_block =
      tamis::BlockParts::Parse(block, tamis::BlockOrigin(), &parts);

  Show();
  return parsed_block.ok() ? 0 : 1;
}
