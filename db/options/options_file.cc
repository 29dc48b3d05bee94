// SPDX-License-Identifier: Apache-2.0
#include "db/options/options_file.h"

#include <algorithm>
#include <string_view>

#include "tamis/version.h"

#include "db/options/option_fields.h"
#include "db/options/table_options_of.h"
#include "util/coding/printable.h"

namespace tamis {

namespace {

constexpr std::string_view kTamisComment = "#tamis:";
constexpr std::string_view kDefaultFamily = "default";
constexpr std::string_view kTableSection = "TableOptions/";
constexpr std::string_view kTableKinds[] = {"BlockBasedTable", "PlainTable",
                                            "CuckooTable"};

// Options without effect that RocksDB 11.9 no longer has.
constexpr std::string_view kRemoved[] = {
    "check_flush_compaction_key_order", "random_access_max_buffer_size",
    "skip_checking_sst_file_sizes_on_db_open"};

// Built-in objects that RocksDB lacks, by their text.
bool OnlyTamisReads(std::string_view value) {
  return value.starts_with("tamis.") ||
         value.find("delimiter_hex=") != std::string_view::npos;
}

// What RocksDB reads instead. The default policy makes the same filters.
std::string_view ForRocksDB(std::string_view value) {
  return value == kDefaultFilterPolicyText ? "bloomfilter:10:false" : "nullptr";
}

void AppendLine(std::string_view name, std::string_view value, bool comment,
                std::string* text) {
  *text += "  ";
  if (comment) *text += std::string(kTamisComment) + " ";
  *text += std::string(name) + "=" + EscapeOption(value) + "\n";
}

template <typename Struct>
void AppendFields(const Struct& options, std::string* text) {
  const Struct defaults;
  for (const OptionField<Struct>& field : OptionTableOf<Struct>().fields) {
    if (!field.has_text()) continue;
    std::string value = field.print(options);
    // An empty list, unless the default has values.
    if (value.empty() && field.print(defaults).empty()) continue;
    bool comment = field.kind == OptionKind::kTamis;
    if (field.kind == OptionKind::kIgnored) {
      if (value == field.print(defaults)) continue;
      comment = std::find(std::begin(kRemoved), std::end(kRemoved),
                          field.name) != std::end(kRemoved);
    }
    if (field.name == "table_factory") {
      // "{id=PlainTable;...}": its options have a section of their own.
      if (value.starts_with("{id="))
        value = value.substr(4, value.find(';') - 4);
    } else if (OnlyTamisReads(value)) {
      AppendLine(field.name, ForRocksDB(value), /*comment=*/false, text);
      comment = true;
    }
    AppendLine(field.name, value, comment, text);
  }
}

// Appends the section of a family's tables.
void AppendTable(const TableFactory& factory, const std::string& family,
                 std::string* text) {
  *text += "\n[" + std::string(kTableSection) + factory.Name() + " \"" +
           family + "\"]\n";
  VisitTableOptions(
      factory, [text](const auto& options) { AppendFields(options, text); });
}

// The parts of a line "[Kind "name"]".
struct SectionTitle {
  std::string kind;
  std::string name;
};

bool ParseTitle(std::string_view line, SectionTitle* title) {
  if (line.size() < 2 || line.front() != '[' || line.back() != ']') {
    return false;
  }
  const std::string_view inner = TrimSpace(line.substr(1, line.size() - 2));
  const size_t quote = inner.find('"');
  title->kind = TrimSpace(inner.substr(0, quote));
  if (quote == std::string_view::npos) return true;
  if (inner.size() < quote + 2 || !inner.ends_with("\"")) return false;
  title->name =
      UnescapeOption(inner.substr(quote + 1, inner.size() - quote - 2));
  return true;
}

// Removes a comment and the space around the rest.
std::string_view WithoutComment(std::string_view line) {
  line = TrimSpace(line);
  if (line.starts_with(kTamisComment)) line.remove_prefix(kTamisComment.size());
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '#') return TrimSpace(line.substr(0, i));
    if (line[i] == '\\') ++i;
  }
  return TrimSpace(line);
}

class FileParser {
 public:
  explicit FileParser(const std::string& file_name) : file_name_(file_name) {}

  Result<OptionsFileText> Parse(std::string_view text) {
    while (!text.empty()) {
      const size_t end = text.find('\n');
      ++line_number_;
      const std::string_view line = WithoutComment(text.substr(0, end));
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
      if (line.empty()) continue;
      TAMIS_RETURN_IF_ERROR(line.front() == '[' ? BeginSection(line)
                                                : AddPair(line));
    }
    if (!has_database_) return Error("there is no section DBOptions");
    if (out_.families.empty()) {
      return Error("there is no section CFOptions \"default\"");
    }
    return std::move(out_);
  }

 private:
  Status Error(const std::string& what) const {
    return Status::Corruption(
        file_name_, "line " + std::to_string(line_number_) + ": " + what);
  }

  Status BeginSection(std::string_view line) {
    SectionTitle title;
    if (!ParseTitle(line, &title)) {
      return Error("\"" + Printable({line.data(), line.size()}) +
                   "\" is not the title of a section");
    }
    if (title.kind == "Version") {
      section_ = &out_.version;
      return Status::OK();
    }
    if (title.kind == "DBOptions") {
      if (has_database_) return Error("a second section DBOptions");
      has_database_ = true;
      section_ = &out_.database;
      return Status::OK();
    }
    if (title.kind == "CFOptions") return BeginFamily(title.name);
    if (title.kind.starts_with(kTableSection)) {
      return BeginTable(title.kind.substr(kTableSection.size()), title.name);
    }
    return Error("there is no kind of section " + Printable(title.kind));
  }

  Status BeginFamily(const std::string& name) {
    if (Find(name) != nullptr) {
      return Error("a second section CFOptions for \"" + Printable(name) +
                   "\"");
    }
    if (out_.families.empty() && name != kDefaultFamily) {
      return Error("the first family is not \"default\"");
    }
    out_.families.push_back({name, {}, {}, {}});
    section_ = &out_.families.back().options;
    return Status::OK();
  }

  Status BeginTable(std::string_view kind, const std::string& name) {
    OptionsFileText::Family* const family = Find(name);
    if (family == nullptr) {
      return Error("TableOptions without CFOptions of \"" + Printable(name) +
                   "\" before them");
    }
    section_ = &skipped_;
    if (std::ranges::find(kTableKinds, kind) != std::end(kTableKinds)) {
      family->table_kind = kind;
      section_ = &family->table;
    }
    return Status::OK();
  }

  Status AddPair(std::string_view line) {
    const size_t equals = line.find('=');
    if (equals == std::string_view::npos || section_ == nullptr) {
      return Error("\"" + Printable({line.data(), line.size()}) + "\" is not " +
                   (section_ == nullptr ? "the title of a section"
                                        : "of the form name=value"));
    }
    std::string_view value = TrimSpace(line.substr(equals + 1));
    // Braces enclose options within an option, as in a string.
    if (value.size() >= 2 && value.front() == '{' && value.back() == '}') {
      value = TrimSpace(value.substr(1, value.size() - 2));
    }
    section_->emplace_back(TrimSpace(line.substr(0, equals)), value);
    return Status::OK();
  }

  OptionsFileText::Family* Find(const std::string& name) {
    for (OptionsFileText::Family& family : out_.families) {
      if (family.name == name) return &family;
    }
    return nullptr;
  }

  const std::string& file_name_;
  size_t line_number_ = 0;
  bool has_database_ = false;
  OptionPairs* section_ = nullptr;
  OptionPairs skipped_;
  OptionsFileText out_;
};

}  // namespace

std::string PrintOptionsFile(const DBOptions& options,
                             const std::vector<NamedFamilyOptions>& families) {
  std::string text =
      "# The options of a database of Tamis, in RocksDB's format. Lines that\n"
      "# begin with #tamis: are options that only Tamis has.\n"
      "\n[Version]\n";
  AppendLine("rocksdb_version", "7.8.3", /*comment=*/false, &text);
  AppendLine("options_file_version", "1.1", /*comment=*/false, &text);
  AppendLine("tamis_version", GetVersion(), /*comment=*/true, &text);
  text += "\n[DBOptions]\n";
  AppendFields(options, &text);
  for (const NamedFamilyOptions& family : families) {
    const std::string name = EscapeOption(family.name);
    text += "\n[CFOptions \"" + name + "\"]\n";
    AppendFields(family.options, &text);
    if (family.options.table_factory == nullptr) continue;
    AppendTable(*family.options.table_factory, name, &text);
  }
  return text;
}

Result<OptionsFileText> ParseOptionsFile(const std::string& text,
                                         const std::string& file_name) {
  return FileParser(file_name).Parse(text);
}

std::string WalDirOf(const std::string& text) {
  std::string wal_dir;
  std::string_view rest = text;
  while (!rest.empty()) {
    const size_t end = rest.find('\n');
    const std::string_view line = WithoutComment(rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    const size_t equals = line.find('=');
    if (equals == std::string_view::npos ||
        TrimSpace(line.substr(0, equals)) != "wal_dir") {
      continue;
    }
    wal_dir = UnescapeOption(TrimSpace(line.substr(equals + 1)));
  }
  return wal_dir;
}

bool ListsFamilies(const std::string& text,
                   const std::set<std::string>& families) {
  const auto file = ParseOptionsFile(text, /*file_name=*/"");
  if (!file.ok()) return false;
  std::set<std::string> listed;
  for (const auto& family : file->families) listed.insert(family.name);
  return listed == families;
}

}  // namespace tamis
