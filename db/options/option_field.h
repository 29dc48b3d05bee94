// SPDX-License-Identifier: Apache-2.0
//
// A field of an options struct, as one line of a table says it: its name, how
// its text is parsed and printed, and what may be done with it. Everything that
// deals with options as text goes through the tables: strings and maps, OPTIONS
// files, SetOptions, LOG.
//
//   option_fields.h     the tables, one for each struct
//   option_parser.h     a map of names and values, applied to a struct
//   options_file.h      the text of an OPTIONS file
//
// A table is complete: tests/rules/options_rule.sh compares it with the struct.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "tamis/convenience.h"
#include "tamis/status.h"

#include "db/options/option_enums.h"
#include "db/options/option_objects.h"
#include "db/options/option_text.h"

namespace tamis {

enum class OptionKind : uint8_t {
  kCommon,   // RocksDB has it too, since 6.29 at the latest
  kTamis,    // RocksDB lacks it, or had it later: a comment in OPTIONS files
  kIgnored,  // RocksDB's, and without effect here
  kParsed,   // its text makes a new object, which is not printed
  kObject,   // has no text
  kIgnoredObject,  // kParsed or kObject, and without effect here
};

// What "name.part=value" sets.
enum class OptionParts : uint8_t { kNone, kFields, kOfObject };

template <typename Struct>
struct OptionField {
  std::string_view name;
  OptionKind kind;
  OptionParts parts;
  // Whether SetOptions or SetDBOptions may change it.
  bool live;
  // Sets the field. Returns an error whose message says what is wrong with the
  // text, and leaves the field unchanged. nullptr if it has no text.
  Status (*parse)(const ConfigOptions& config, std::string_view text,
                  Struct* options);
  // What parse takes; without has_text(), a name for people.
  std::string (*print)(const Struct& options);

  bool has_text() const {
    return kind != OptionKind::kParsed && kind != OptionKind::kObject &&
           kind != OptionKind::kIgnoredObject;
  }
  bool is_ignored() const {
    return kind == OptionKind::kIgnored || kind == OptionKind::kIgnoredObject;
  }
};

// An option of RocksDB that Tamis lacks.
struct MissingOption {
  std::string_view name;
  // The value that asks for what Tamis does in any case, or "*" for all.
  std::string_view harmless;
};

// All that is known of a struct's text.
template <typename Struct>
struct OptionTable {
  std::span<const OptionField<Struct>> fields;
  std::span<const MissingOption> missing;

  const OptionField<Struct>* Find(std::string_view name) const {
    for (const OptionField<Struct>& field : fields) {
      if (field.name == name) return &field;
    }
    return nullptr;
  }
  const MissingOption* FindMissing(std::string_view name) const {
    for (const MissingOption& option : missing) {
      if (option.name == name) return &option;
    }
    return nullptr;
  }
};

// Structs within options. option_parser.cc
Status ParseOptionText(const ConfigOptions& config, std::string_view text,
                       CompressionOptions* options);
Status ParseOptionText(const ConfigOptions& config, std::string_view text,
                       CompactionOptionsUniversal* options);
Status ParseOptionText(const ConfigOptions& config, std::string_view text,
                       CompactionOptionsFIFO* options);
Status ParseOptionText(const ConfigOptions& config, std::string_view text,
                       MetadataCacheOptions* options);
Status ParseOptionText(const ConfigOptions& config, std::string_view text,
                       std::shared_ptr<TableFactory>* factory);
std::string PrintOptionText(const CompressionOptions& options);
std::string PrintOptionText(const CompactionOptionsUniversal& options);
std::string PrintOptionText(const CompactionOptionsFIFO& options);
std::string PrintOptionText(const MetadataCacheOptions& options);
std::string PrintOptionText(const std::shared_ptr<TableFactory>& factory);

// For objects without a text, and those that are only parsed.
template <typename Pointer>
std::string PrintObject(const Pointer& object) {
  if (object == nullptr) return "nullptr";
  if constexpr (requires { object->Name(); }) {
    return object->Name();
  } else {
    return "set";
  }
}

// The number of objects.
template <typename Pointer>
std::string PrintObject(const std::vector<Pointer>& objects) {
  return std::to_string(objects.size());
}

namespace option_field {

template <typename Value>
inline constexpr bool kIsStruct =
    std::is_same_v<Value, CompressionOptions> ||
    std::is_same_v<Value, CompactionOptionsUniversal> ||
    std::is_same_v<Value, CompactionOptionsFIFO> ||
    std::is_same_v<Value, MetadataCacheOptions> ||
    std::is_same_v<Value, std::shared_ptr<TableFactory>>;
template <typename Value>
inline constexpr bool kIsObject = std::is_pointer_v<Value> ||
                                  requires(Value v) {
  v.use_count();
};

template <typename Value>
constexpr OptionParts PartsOf(Value* /*member*/) {
  if (kIsStruct<Value>) return OptionParts::kFields;
  return kIsObject<Value> ? OptionParts::kOfObject : OptionParts::kNone;
}
template <typename Struct, auto kMember>
inline constexpr OptionParts kPartsOf =
    PartsOf(decltype(&(std::declval<Struct&>().*kMember)){});

template <typename Struct, auto kMember>
Status Parse(const ConfigOptions& config, std::string_view text,
             Struct* options) {
  auto* const member = &(options->*kMember);
  using Value = std::remove_pointer_t<decltype(member)>;
  if constexpr (kIsStruct<Value>) {
    return ParseOptionText(config, text, member);
  } else {
    const Status status = ParseOptionText(text, member);
    if (!status.IsNotSupported() || !config.ignore_unsupported_options) {
      return status;
    }
    if constexpr (kIsObject<Value>) ForgetObject(member);
    return Status::OK();
  }
}

template <typename Struct, auto kMember>
std::string Print(const Struct& options) {
  return PrintOptionText(options.*kMember);
}

template <typename Struct, auto kMember>
std::string PrintName(const Struct& options) {
  return PrintObject(options.*kMember);
}

}  // namespace option_field

inline constexpr bool kLive = true;
inline constexpr bool kFixedWhileOpen = false;

// A line of a table.
template <typename Struct, auto kMember>
constexpr OptionField<Struct> MakeField(std::string_view name, OptionKind kind,
                                        bool live) {
  return {name,
          kind,
          option_field::kPartsOf<Struct, kMember>,
          live,
          option_field::Parse<Struct, kMember>,
          option_field::Print<Struct, kMember>};
}
// An object is printed by its name, and stays while the database is open.
template <typename Struct, auto kMember>
constexpr OptionField<Struct> MakeNamedField(
    std::string_view name, OptionKind kind,
    decltype(OptionField<Struct>::parse) parse) {
  return {name,
          kind,
          OptionParts::kOfObject,
          kFixedWhileOpen,
          parse,
          option_field::PrintName<Struct, kMember>};
}
template <typename Struct, auto kMember>
constexpr OptionField<Struct> MakeParsedField(
    std::string_view name, OptionKind kind = OptionKind::kParsed) {
  return MakeNamedField<Struct, kMember>(name, kind,
                                         option_field::Parse<Struct, kMember>);
}
template <typename Struct, auto kMember>
constexpr OptionField<Struct> MakeObjectField(
    std::string_view name, OptionKind kind = OptionKind::kObject) {
  return MakeNamedField<Struct, kMember>(name, kind, nullptr);
}

}  // namespace tamis
