// SPDX-License-Identifier: Apache-2.0
#include "tools/tamis_ldb/words.h"

#include "tools/hex.h"
#include "tools/tamis_ldb/flags.h"

namespace tamis {

namespace {

Result<std::string> Parse(const std::string& text, bool hex) {
  if (!hex) return text;
  return ParseHex(text);
}

std::string Show(const Slice& bytes, bool hex) {
  return hex ? "0x" + bytes.ToString(true) : bytes.ToString();
}

}  // namespace

Result<std::string> ParseKey(const std::string& text) {
  return Parse(text, FLAGS_hex || FLAGS_key_hex);
}

Result<std::string> ParseValue(const std::string& text) {
  return Parse(text, FLAGS_hex || FLAGS_value_hex);
}

std::string ShowKey(const Slice& key) {
  return Show(key, FLAGS_hex || FLAGS_key_hex);
}

std::string ShowValue(const Slice& value) {
  return Show(value, FLAGS_hex || FLAGS_value_hex);
}

Result<KeyRange> RangeFromFlags() {
  KeyRange range;
  const auto parse = [](const std::string& text,
                        std::optional<std::string>* into) {
    if (text.empty()) return Status::OK();
    auto key = ParseKey(text);
    if (!key.ok()) return key.status();
    *into = std::move(key).value();
    return Status::OK();
  };
  TAMIS_RETURN_IF_ERROR(parse(FLAGS_from, &range.from));
  TAMIS_RETURN_IF_ERROR(parse(FLAGS_to, &range.to));
  return range;
}

}  // namespace tamis
