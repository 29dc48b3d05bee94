// SPDX-License-Identifier: Apache-2.0
//
// The names of enumerations' values as text: those of the constants, as in
// RocksDB.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "tamis/advanced_options.h"
#include "tamis/db_options.h"
#include "tamis/logger.h"
#include "tamis/status.h"
#include "tamis/table.h"
#include "tamis/universal_compaction.h"

namespace tamis {

template <typename Enum>
struct EnumName {
  std::string_view name;
  Enum value;
};

// Every value that an option of the type may have.
template <typename Enum>
std::span<const EnumName<Enum>> EnumNames();

// The names of RocksDB's values that Tamis lacks.
template <typename Enum>
std::span<const std::string_view> MissingEnumNames() {
  return {};
}
template <>
std::span<const std::string_view> MissingEnumNames<CompressionType>();
template <>
std::span<const std::string_view>
MissingEnumNames<BlockBasedTableOptions::IndexType>();

template <>
std::span<const EnumName<WALRecoveryMode>> EnumNames();
template <>
std::span<const EnumName<InfoLogLevel>> EnumNames();
template <>
std::span<const EnumName<DBOptions::AccessHint>> EnumNames();
template <>
std::span<const EnumName<CompressionType>> EnumNames();
template <>
std::span<const EnumName<EncodingType>> EnumNames();
template <>
std::span<const EnumName<PrepopulateBlobCache>> EnumNames();
template <>
std::span<const EnumName<ChecksumType>> EnumNames();
template <>
std::span<const EnumName<BlockBasedTableOptions::IndexType>> EnumNames();
template <>
std::span<const EnumName<BlockBasedTableOptions::IndexShorteningMode>>
EnumNames();
template <>
std::span<const EnumName<BlockBasedTableOptions::PrepopulateBlockCache>>
EnumNames();
template <>
std::span<const EnumName<BlockBasedTableOptions::DataBlockIndexType>>
EnumNames();
template <>
std::span<const EnumName<BlockBasedTableOptions::RangeFilterType>> EnumNames();
template <>
std::span<const EnumName<PinningTier>> EnumNames();
template <>
std::span<const EnumName<CompactionStyle>> EnumNames();
template <>
std::span<const EnumName<CompactionPri>> EnumNames();
template <>
std::span<const EnumName<CompactionStopStyle>> EnumNames();

template <typename Enum>
requires std::is_enum_v<Enum> Status ParseOptionText(std::string_view text,
                                                     Enum* value) {
  std::string names;
  for (const EnumName<Enum>& known : EnumNames<Enum>()) {
    if (text == known.name) {
      *value = known.value;
      return Status::OK();
    }
    names += names.empty() ? "" : ", ";
    names += known.name;
  }
  for (const std::string_view missing : MissingEnumNames<Enum>()) {
    if (text != missing) continue;
    return Status::NotSupported("RocksDB has " + std::string(missing) +
                                ", but Tamis has only " + names);
  }
  return Status::InvalidArgument("\"" + std::string(text.substr(0, 64)) +
                                 "\" is none of " + names);
}

// A value without a name is printed as a number, which no one parses.
template <typename Enum>
requires std::is_enum_v<Enum> std::string PrintOptionText(Enum value) {
  for (const EnumName<Enum>& known : EnumNames<Enum>()) {
    if (known.value == value) return std::string(known.name);
  }
  return std::to_string(static_cast<int64_t>(value));
}

}  // namespace tamis
