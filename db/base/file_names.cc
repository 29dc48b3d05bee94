// SPDX-License-Identifier: Apache-2.0
#include "db/base/file_names.h"

#include <algorithm>
#include <array>

#include "util/coding/printable.h"
#include "util/io/file_io.h"

namespace tamis {

namespace {

// The longest file name of most file systems.
constexpr size_t kNameBytesMax = 255;

// Strips `prefix` from the front of *name.
bool TakePrefix(std::string_view* name, std::string_view prefix) {
  if (!name->starts_with(prefix)) return false;
  name->remove_prefix(prefix.size());
  return true;
}

// Strips decimal digits. Returns false if there are none, or the number is
// above kFileNumberMax.
bool TakeNumber(std::string_view* name, FileNumber* number) {
  uint64_t n = 0;
  size_t digits = 0;
  for (; digits < name->size(); ++digits) {
    const char c = (*name)[digits];
    if (c < '0' || c > '9') break;
    const auto digit = static_cast<uint64_t>(c - '0');
    if (n > (kFileNumberMax.value() - digit) / 10) return false;
    n = n * 10 + digit;
  }
  name->remove_prefix(digits);
  *number = FileNumber(n);
  return digits > 0;
}

bool TakeWholeNumber(std::string_view name, FileNumber* number) {
  return TakeNumber(&name, number) && name.empty();
}

std::string Padded(FileNumber number) {
  std::string digits = number.ToString();
  if (digits.size() < 6) digits.insert(0, 6 - digits.size(), '0');
  return digits;
}

std::string Numbered(const std::string& dir, const char* prefix,
                     FileNumber number, const char* suffix) {
  return dir + "/" + prefix + Padded(number) + suffix;
}

struct SuffixType {
  std::string_view suffix;
  FileKind type;
};
constexpr std::array kSuffixes{
    SuffixType{".log", FileKind::kLog},
    SuffixType{".sst", FileKind::kTable},
    SuffixType{".ldb", FileKind::kTable},
    SuffixType{".blob", FileKind::kBlob},
    SuffixType{".dbtmp", FileKind::kTemp},
    SuffixType{".sst.trash", FileKind::kTrash},
    SuffixType{".log.trash", FileKind::kTrash},
    SuffixType{".blob.trash", FileKind::kTrash},
};

struct WholeName {
  std::string_view name;
  FileKind type;
};
constexpr std::array kWholeNames{
    WholeName{"CURRENT", FileKind::kCurrent},
    WholeName{"LOCK", FileKind::kLock},
    WholeName{"IDENTITY", FileKind::kIdentity},
    WholeName{"LOG", FileKind::kInfoLog},
    WholeName{"LOG.old", FileKind::kInfoLog},
};

// Replaces a small file atomically: readers see the old or the new contents.
// With `sync`, it has the old or the new ones after a power failure, the new
// ones when the directory has been synced; without, the contents may be
// anything.
Status ReplaceFile(FileSystem* fs, const std::string& dir,
                   FileNumber scratch_number, const std::string& contents,
                   const std::string& path, bool sync) {
  const std::string scratch = TempFileName(dir, scratch_number);
  Status s = WriteStringToFile(fs, contents, scratch, sync);
  if (s.ok()) s = fs->RenameFile(scratch, path);
  if (!s.ok()) fs->RemoveFile(scratch).PermitUncheckedError();
  return s;
}

}  // namespace

std::optional<ParsedFileName> ParseFileName(std::string_view name) {
  for (const WholeName& whole : kWholeNames) {
    if (name == whole.name) return ParsedFileName{whole.type, kNoFile};
  }
  FileNumber number;
  std::string_view rest = name;
  if (TakePrefix(&rest, "MANIFEST-")) {
    if (!TakeWholeNumber(rest, &number)) return std::nullopt;
    return ParsedFileName{FileKind::kDescriptor, number};
  }
  if (TakePrefix(&rest, "LOG.old.")) {
    if (!TakeWholeNumber(rest, &number)) return std::nullopt;
    return ParsedFileName{FileKind::kInfoLog, number};
  }
  if (TakePrefix(&rest, "METADB-")) {
    if (!TakeWholeNumber(rest, &number)) return std::nullopt;
    return ParsedFileName{FileKind::kMeta, number};
  }
  if (TakePrefix(&rest, "OPTIONS-")) {
    if (!TakeNumber(&rest, &number) || (!rest.empty() && rest != ".dbtmp")) {
      return std::nullopt;
    }
    return ParsedFileName{FileKind::kOptions, number};
  }
  if (!TakeNumber(&rest, &number)) return std::nullopt;
  const auto* const found =
      std::find_if(kSuffixes.begin(), kSuffixes.end(),
                   [rest](const SuffixType& s) { return s.suffix == rest; });
  if (found == kSuffixes.end()) return std::nullopt;
  return ParsedFileName{found->type, number};
}

std::string WithoutTrailingSlashes(std::string dir) {
  while (dir.size() > 1 && dir.back() == '/') dir.pop_back();
  return dir;
}

std::string SeparateDirectory(const std::string& dir,
                              const std::string& other) {
  const auto plain = [](std::string path) {
    path.erase(std::unique(path.begin(), path.end(),
                           [](char a, char b) { return a == '/' && b == '/'; }),
               path.end());
    return WithoutTrailingSlashes(std::move(path));
  };
  const std::string separate = plain(other);
  return separate == plain(dir) ? std::string() : separate;
}

std::string ParentDirectory(const std::string& dir) {
  const size_t slash = dir.find_last_not_of('/');
  const size_t cut = slash == std::string::npos ? slash : dir.rfind('/', slash);
  if (cut == std::string::npos) return ".";
  return cut == 0 ? "/" : dir.substr(0, cut);
}

std::string LogFileName(const std::string& dir, FileNumber number) {
  return Numbered(dir, "", number, ".log");
}
std::string ArchiveDirectory(const std::string& dir) {
  return dir + "/archive";
}
std::string ArchivedLogFileName(const std::string& dir, FileNumber number) {
  return LogFileName(ArchiveDirectory(dir), number);
}
std::string TableFileName(const std::string& dir, FileNumber number) {
  return Numbered(dir, "", number, ".sst");
}
std::string LevelDBTableFileName(const std::string& dir, FileNumber number) {
  return Numbered(dir, "", number, ".ldb");
}
std::string DescriptorFileName(const std::string& dir, FileNumber number) {
  return Numbered(dir, "MANIFEST-", number, "");
}
std::string CurrentFileName(const std::string& dir) { return dir + "/CURRENT"; }
std::string LockFileName(const std::string& dir) { return dir + "/LOCK"; }
std::string IdentityFileName(const std::string& dir) {
  return dir + "/IDENTITY";
}
std::string TempFileName(const std::string& dir, FileNumber number) {
  return Numbered(dir, "", number, ".dbtmp");
}
std::string OptionsFileName(const std::string& dir, FileNumber number) {
  return Numbered(dir, "OPTIONS-", number, "");
}

Status ReplaceCurrentFile(FileSystem* fs, const std::string& dir,
                          FileNumber manifest_number) {
  return ReplaceFile(fs, dir, manifest_number,
                     "MANIFEST-" + Padded(manifest_number) + "\n",
                     CurrentFileName(dir), /*sync=*/true);
}

Status SetCurrentFile(FileSystem* fs, const std::string& dir,
                      FileNumber manifest_number) {
  TAMIS_RETURN_IF_ERROR(ReplaceCurrentFile(fs, dir, manifest_number));
  return file_io::SyncDirectory(fs, dir);
}

Result<std::string> ReadCurrentFile(FileSystem* fs, const std::string& dir) {
  const std::string path = CurrentFileName(dir);
  std::string name;
  TAMIS_RETURN_IF_ERROR(ReadFileToString(fs, path, &name));
  if (!name.ends_with('\n')) {
    return Status::Corruption(path,
                              "offset " + std::to_string(name.size()) +
                                  ": expected a newline at the end, got none");
  }
  name.pop_back();
  const std::optional<ParsedFileName> parsed = ParseFileName(name);
  if (!parsed || parsed->type != FileKind::kDescriptor ||
      name.size() > kNameBytesMax) {
    return Status::Corruption(
        path, "offset 0: expected MANIFEST-<number>, got \"" + Printable(name) +
                  "\"");
  }
  return name;
}

Status SetIdentityFile(FileSystem* fs, const std::string& dir,
                       const std::string& identity, bool sync) {
  TAMIS_RETURN_IF_ERROR(
      ReplaceFile(fs, dir, kNoFile, identity, IdentityFileName(dir), sync));
  return sync ? file_io::SyncDirectory(fs, dir) : Status::OK();
}

Result<std::string> ReadIdentityFile(FileSystem* fs, const std::string& dir) {
  std::string identity;
  TAMIS_RETURN_IF_ERROR(ReadFileToString(fs, IdentityFileName(dir), &identity));
  if (identity.ends_with('\n')) identity.pop_back();
  return identity;
}

}  // namespace tamis
