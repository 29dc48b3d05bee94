// SPDX-License-Identifier: Apache-2.0
#include "db/repair/repair_files.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "db/base/file_names.h"
#include "db/manifest/table_path.h"

namespace tamis {

namespace {

bool IsNumbered(FileKind type) {
  return type != FileKind::kCurrent && type != FileKind::kInfoLog &&
         type != FileKind::kIdentity && type != FileKind::kLock;
}

bool IsSpelledByNumber(const std::string& name, const ParsedFileName& file) {
  return name == BaseName(LogFileName("", file.number)) ||
         name == BaseName(TableFileName("", file.number)) ||
         name == BaseName(LevelDBTableFileName("", file.number));
}

}  // namespace

std::string BaseName(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

namespace {

// Takes the logs from their own directory instead.
Status FindSeparateLogs(const DBContext& context, FoundFiles* found) {
  found->logs.clear();
  std::vector<std::string> names;
  TAMIS_RETURN_IF_ERROR(context.fs()->GetChildren(context.wal_dir, &names));
  for (const std::string& name : names) {
    const auto file = ParseFileName(name);
    if (!file || file->type != FileKind::kLog) continue;
    found->largest_number = std::max(found->largest_number, file->number);
    if (IsSpelledByNumber(name, *file)) found->logs.push_back(file->number);
  }
  return Status::OK();
}

Status FindTablesIn(const DBContext& context, const std::string& directory,
                    FoundFiles* found) {
  std::vector<std::string> names;
  const Status listed = context.fs()->GetChildren(directory, &names);
  if (listed.IsPathNotFound()) return Status::OK();
  TAMIS_RETURN_IF_ERROR(listed);
  const auto shared = std::make_shared<const std::string>(directory);
  for (const std::string& name : names) {
    const auto file = ParseFileName(name);
    if (!file || file->type != FileKind::kTable) continue;
    found->largest_number = std::max(found->largest_number, file->number);
    if (!IsSpelledByNumber(name, *file)) continue;
    FoundTable table{.name = name, .directory = shared};
    TAMIS_RETURN_IF_ERROR(
        context.fs()->GetFileSize(directory + "/" + name, &table.size));
    if (!found->tables.emplace(file->number, table).second) {
      found->copies.emplace_back(file->number, table);
    }
  }
  return Status::OK();
}

}  // namespace

Result<FoundFiles> FindFiles(const DBContext& context) {
  FoundFiles found;
  std::vector<std::string> names;
  TAMIS_RETURN_IF_ERROR(context.fs()->GetChildren(context.directory, &names));
  std::sort(names.begin(), names.end());  // ".ldb" before ".sst", which wins
  for (const std::string& name : names) {
    const auto file = ParseFileName(name);
    if (!file) continue;
    // RocksDB derives names from numbers, and does not find other spellings.
    const bool spelled = IsSpelledByNumber(name, *file);
    if (IsNumbered(file->type)) {
      found.largest_number = std::max(found.largest_number, file->number);
    }
    if (file->type == FileKind::kTable && spelled) {
      FoundTable& table = found.tables[file->number];
      table.name = name;
      TAMIS_RETURN_IF_ERROR(context.fs()->GetFileSize(
          context.directory + "/" + name, &table.size));
    } else if (file->type == FileKind::kLog && spelled) {
      found.logs.push_back(file->number);
    } else if (file->type == FileKind::kDescriptor) {
      found.manifests[file->number] = name;
    } else if (file->type == FileKind::kOptions && !name.ends_with("tmp")) {
      found.options[file->number] = name;
    }
  }
  for (const std::string& directory : context.table_directories) {
    TAMIS_RETURN_IF_ERROR(FindTablesIn(context, directory, &found));
  }
  if (!context.wal_dir.empty()) {
    TAMIS_RETURN_IF_ERROR(FindSeparateLogs(context, &found));
  }
  std::sort(found.logs.begin(), found.logs.end());
  if (found.tables.empty() && found.logs.empty() && found.manifests.empty()) {
    return Status::Corruption(context.directory,
                              "it contains no files of a database");
  }
  return found;
}

Status ChooseCopies(const DBContext& context, const ListedTables& in_paths,
                    const std::set<FileNumber>& listed, bool manifest_is_whole,
                    FoundFiles* found) {
  for (auto& [number, copy] : found->copies) {
    const auto there = in_paths.find(*copy.directory);
    if (there != in_paths.end() && there->second.contains(number)) {
      std::swap(copy, found->tables.at(number));
    } else if (!manifest_is_whole && !listed.contains(number)) {
      return Status::InvalidArgument(
          TablePath(context, MetaOf(number, copy)),
          TablePath(context, MetaOf(number, found->tables.at(number))) +
              " has the same number, and the MANIFEST lists neither: move one "
              "of the two away");
    }
  }
  return Status::OK();
}

FileMetaData MetaOf(FileNumber number, const FoundTable& found) {
  FileMetaData meta;
  meta.number = number;
  meta.size = found.size;
  meta.directory = found.directory;
  meta.seqnos_known = false;
  return meta;
}

Result<FoundManifest> FindManifest(const DBContext& context,
                                   const FoundFiles& files) {
  FoundManifest found;
  const auto current = ReadCurrentFile(context.fs(), context.directory);
  if (!current.ok() && current.status().IsIOError() &&
      !current.status().IsPathNotFound()) {
    return current.status();
  }
  std::vector<std::string> candidates;
  for (const auto& [number, name] : files.manifests) {
    candidates.insert(candidates.begin(), name);
  }
  const std::string newest = candidates.empty() ? "" : candidates.front();
  const auto named =
      current.ok() ? std::find(candidates.begin(), candidates.end(), *current)
                   : candidates.end();
  const bool has_named = named != candidates.end();
  if (has_named) std::rotate(candidates.begin(), named, named + 1);

  std::optional<ManifestPrefix> best;
  for (const std::string& name : candidates) {
    auto prefix = ReadManifestPrefix(context.fs(), context.directory, name);
    if (!prefix.ok()) return prefix.status();
    const bool whole = prefix->damage.ok() && !prefix->state.torn_tail;
    context.event_log->Event("repair_manifest")
        .Add("file", Slice(name))
        .Add("edits", prefix->edits)
        .Add("torn_bytes", prefix->state.torn_bytes)
        .Add("status", prefix->damage);
    if (prefix->edits == 0 || (best && !whole)) continue;
    best = std::move(prefix).value();
    found.whole = whole && (has_named ? name == *current : name == newest);
    if (whole || (has_named && name == *current)) break;
  }
  if (!best) return found;
  found.state = std::move(best->state);
  found.deleted = std::move(best->deleted);
  found.dropped = std::move(best->dropped);
  return found;
}

}  // namespace tamis
