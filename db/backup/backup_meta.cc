// SPDX-License-Identifier: Apache-2.0
#include "db/backup/backup_meta.h"

#include <charconv>
#include <utility>

#include "util/coding/printable.h"

namespace tamis {

namespace {

constexpr std::string_view kSchemaVersion = "schema_version ";
constexpr std::string_view kMetadata = "metadata ";
constexpr std::string_view kMustKnow = "ni::";

template <typename T>
std::optional<T> ParseNumber(std::string_view text) {
  T value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

std::optional<std::string> ParseHex(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  for (size_t i = 0; i < text.size(); i += 2) {
    uint8_t byte = 0;
    const char* const end = text.data() + i + 2;
    const auto [stop, error] = std::from_chars(text.data() + i, end, byte, 16);
    if (error != std::errc() || stop != end) return std::nullopt;
    bytes.push_back(static_cast<char>(byte));
  }
  return bytes;
}

// Cuts the part before `separator`, or all, off the front.
std::string_view CutFront(std::string_view* text, char separator) {
  const size_t at = text->find(separator);
  const std::string_view front = text->substr(0, at);
  text->remove_prefix(at == std::string_view::npos ? text->size() : at + 1);
  return front;
}

// The length at the end of a table's name: 000009_sD0TCHIE_994.sst.
std::optional<uint64_t> SizeInName(std::string_view path) {
  const size_t dot = path.rfind('.');
  const size_t underscore = path.rfind('_');
  if (dot == std::string_view::npos || underscore == std::string_view::npos ||
      path.rfind('/') > underscore || dot < underscore) {
    return std::nullopt;
  }
  return ParseNumber<uint64_t>(
      path.substr(underscore + 1, dot - underscore - 1));
}

class MetaDecoder {
 public:
  MetaDecoder(BackupID id, const std::string& path, const Slice& text)
      : id_(id), path_(path), rest_(text.data(), text.size()) {}

  Result<BackupMeta> Decode() {
    TAMIS_RETURN_IF_ERROR(ReadHead());
    std::optional<uint64_t> count;
    while (!count) {
      std::string_view line;
      TAMIS_RETURN_IF_ERROR(ReadLine(&line));
      count = ParseNumber<uint64_t>(line);
      if (!count) TAMIS_RETURN_IF_ERROR(ReadField(line));
    }
    for (uint64_t i = 0; i < *count; ++i) {
      std::string_view line;
      TAMIS_RETURN_IF_ERROR(ReadLine(&line));
      TAMIS_RETURN_IF_ERROR(ReadFile(line));
    }
    while (!rest_.empty()) {
      std::string_view line;
      TAMIS_RETURN_IF_ERROR(ReadLine(&line));
      TAMIS_RETURN_IF_ERROR(ReadUnknown(line));
    }
    return std::move(meta_);
  }

 private:
  Status Bad(const std::string& expected, std::string_view found) const {
    return Status::Corruption(path_, "line " + std::to_string(line_) +
                                         ": expected " + expected + ", found " +
                                         Printable(found));
  }

  // A line without its newline is not whole.
  Status ReadLine(std::string_view* line) {
    ++line_;
    if (rest_.find('\n') == std::string_view::npos) {
      return Bad("a line", rest_);
    }
    *line = CutFront(&rest_, '\n');
    return Status::OK();
  }

  Status ReadHead() {
    std::string_view line;
    TAMIS_RETURN_IF_ERROR(ReadLine(&line));
    if (line.starts_with(kSchemaVersion)) {
      std::string_view version = line.substr(kSchemaVersion.size());
      const std::string_view major = CutFront(&version, '.');
      if (major != "2") {
        return Status::NotSupported(
            path_, Printable(line) +
                       ": this release reads backups of the versions 1 and 2");
      }
      schema_version_ = 2;
      TAMIS_RETURN_IF_ERROR(ReadLine(&line));
    }
    const auto timestamp = ParseNumber<int64_t>(line);
    if (!timestamp) return Bad("a time in Unix seconds", line);
    meta_.timestamp = *timestamp;
    TAMIS_RETURN_IF_ERROR(ReadLine(&line));
    const auto sequence = ParseNumber<uint64_t>(line);
    if (!sequence) return Bad("a sequence number", line);
    meta_.sequence_number = *sequence;
    return Status::OK();
  }

  // A line before the number of files.
  Status ReadField(std::string_view line) {
    if (!line.starts_with(kMetadata)) {
      return schema_version_ == 1 ? Bad("the number of files", line)
                                  : ReadUnknown(line);
    }
    auto bytes = ParseHex(line.substr(kMetadata.size()));
    if (!bytes) return Bad("hex digits", line);
    meta_.app_metadata = *std::move(bytes);
    return Status::OK();
  }

  Status ReadUnknown(std::string_view line) const {
    if (schema_version_ == 1) return Bad("the end", line);
    const std::string_view name = CutFront(&line, ' ');
    if (!name.starts_with(kMustKnow)) return Status::OK();
    return Status::NotSupported(path_, "line " + std::to_string(line_) +
                                           ": this release knows no " +
                                           Printable(name));
  }

  Status ReadFile(std::string_view line) {
    BackupFile file;
    file.path = std::string(CutFront(&line, ' '));
    if (!NameOfBackupFile(id_, file.path)) {
      return Bad("the path of a file of backup " + std::to_string(id_),
                 file.path);
    }
    file.size = SizeInName(file.path);
    while (!line.empty()) {
      const std::string_view name = CutFront(&line, ' ');
      const std::string_view value = CutFront(&line, ' ');
      if (name == "crc32") {
        file.crc32c = ParseNumber<uint32_t>(value);
        if (!file.crc32c) return Bad("a CRC-32C in decimal", value);
      } else if (schema_version_ == 1) {
        return Bad("crc32", name);
      } else if (name == "size") {
        file.size = ParseNumber<uint64_t>(value);
        if (!file.size) return Bad("a size in bytes", value);
      } else {
        TAMIS_RETURN_IF_ERROR(ReadUnknown(name));
      }
    }
    if (schema_version_ == 1 && !file.crc32c) return Bad("crc32", "none");
    meta_.files.push_back(std::move(file));
    return Status::OK();
  }

  const BackupID id_;
  const std::string& path_;
  std::string_view rest_;
  int line_ = 0;
  int schema_version_ = 1;
  BackupMeta meta_;
};

}  // namespace

std::optional<NameInDatabase> NameOfBackupFile(BackupID id,
                                               std::string_view path) {
  std::string_view name = path;
  const std::string_view folder = CutFront(&name, '/');
  NameInDatabase result;
  if (folder == "private") {
    const std::string_view owner = CutFront(&name, '/');
    if (owner != std::to_string(id)) return std::nullopt;
    result.name = std::string(name);
  } else if (folder == "shared") {
    result.name = std::string(name);
  } else if (folder == "shared_checksum") {
    // NUMBER_....sst
    const size_t dot = name.rfind('.');
    const size_t underscore = name.find('_');
    if (dot == std::string_view::npos || underscore > dot) return std::nullopt;
    result.name = std::string(name.substr(0, underscore));
    result.name += name.substr(dot);
  }
  const auto file = ParseFileName(result.name);
  if (!file || name.find('/') != std::string_view::npos) return std::nullopt;
  const bool table =
      file->type == FileKind::kTable || file->type == FileKind::kBlob;
  const bool of_one_backup =
      file->type == FileKind::kCurrent || file->type == FileKind::kDescriptor ||
      file->type == FileKind::kOptions || file->type == FileKind::kIdentity ||
      file->type == FileKind::kLog;
  if (!table && !(of_one_backup && folder == "private")) return std::nullopt;
  result.file = *file;
  return result;
}

std::string EncodeBackupMeta(const BackupMeta& meta, int schema_version) {
  std::string text;
  if (schema_version == 2) {
    text.append(kSchemaVersion).append("2.0\n");
  }
  text += std::to_string(meta.timestamp) + "\n";
  text += std::to_string(meta.sequence_number) + "\n";
  if (!meta.app_metadata.empty()) {
    text.append(kMetadata).append(Slice(meta.app_metadata).ToString(true));
    text += "\n";
  }
  text += std::to_string(meta.files.size()) + "\n";
  for (const BackupFile& file : meta.files) {
    text += file.path;
    if (file.crc32c) text += " crc32 " + std::to_string(*file.crc32c);
    text += "\n";
  }
  return text;
}

Result<BackupMeta> DecodeBackupMeta(BackupID id, const std::string& path,
                                    const Slice& text) {
  return MetaDecoder(id, path, text).Decode();
}

}  // namespace tamis
