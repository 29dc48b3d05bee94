// SPDX-License-Identifier: Apache-2.0
#include "rados/volume_layout.h"

#include <algorithm>
#include <charconv>
#include <cinttypes>
#include <cstdio>
#include <random>
#include <string_view>
#include <vector>

namespace tamis::rados {

namespace {

constexpr const char* kPoolNames[] = {"names", "logs", "tables"};

const char* NameOf(Pool pool) { return kPoolNames[static_cast<size_t>(pool)]; }

bool ParsePool(std::string_view text, Pool* pool) {
  if (text == NameOf(Pool::kLogs)) {
    *pool = Pool::kLogs;
    return true;
  }
  *pool = Pool::kTables;
  return text == NameOf(Pool::kTables);
}

bool ParseNumber(std::string_view text, uint64_t* number) {
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), *number);
  return error == std::errc() && end == text.data() + text.size();
}

// "<20 digits>.<n>"; empty: {0, 0}
bool ParseChange(std::string_view text, ChangeNumber* change) {
  *change = ChangeNumber();
  if (text.empty()) return true;
  return text.size() > 21 && text[20] == '.' &&
         ParseNumber(text.substr(0, 20), &change->epoch) &&
         ParseNumber(text.substr(21), &change->n);
}

std::vector<std::string_view> Words(std::string_view text) {
  std::vector<std::string_view> words;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(' ', begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

Status Malformed(const std::string& volume, const std::string& key,
                 const std::string& text) {
  return Status::Corruption("volume " + volume + ", " + key,
                            "\"" + text + "\" is malformed");
}

}  // namespace

Status CheckVolumeName(const std::string& volume) {
  constexpr char kAllowed[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
  if (!volume.empty() &&
      volume.find_first_not_of(kAllowed) == std::string::npos) {
    return Status::OK();
  }
  return Status::InvalidArgument(
      "volume \"" + volume + "\"",
      "a name has letters, digits, '.', '_' and '-', and no other characters");
}

std::string NewUniqueName() {
  std::random_device device;
  std::string name;
  for (int i = 0; i < 4; ++i) {
    const uint32_t word = device();
    for (int digit = 0; digit < 4; ++digit) {
      name += static_cast<char>('a' + (word >> (8 * digit)) % 16);
    }
  }
  return name;
}

std::string EncodeEpoch(uint64_t epoch) {
  char text[21];
  std::snprintf(text, sizeof(text), "%020" PRIu64, epoch);
  return text;
}

std::string EncodeEntry(const FileEntry& entry) {
  if (entry.is_shared()) return "shared " + entry.id;
  if (entry.is_directory()) return "directory";
  const std::string file = std::string(NameOf(entry.pool)) + " " + entry.id;
  if (entry.is_open()) return "open " + file;
  return "closed " + file + " " + std::to_string(entry.size);
}

std::string EncodeChange(const ChangeNumber& change) {
  return EncodeEpoch(change.epoch) + "." + std::to_string(change.n);
}

std::string EncodeTrash(const TrashEntry& entry) {
  return std::string(NameOf(entry.pool)) + " " + std::to_string(entry.seconds) +
         " " + std::to_string(entry.size) + " " + EncodeChange(entry.change);
}

std::string EncodePin(const PinEntry& entry) {
  std::string text = std::to_string(entry.lease_seconds) + " " +
                     std::to_string(entry.beat) + " " +
                     EncodeChange(entry.change);
  for (const std::string& id : entry.ids) text += " " + id;
  return text;
}

Status DecodeEpoch(const std::string& volume, const std::string& text,
                   uint64_t* epoch) {
  if (text.size() == 20 && ParseNumber(text, epoch)) return Status::OK();
  return Malformed(volume, kEpochAttribute, text);
}

Status DecodeChange(const std::string& volume, const std::string& text,
                    ChangeNumber* change) {
  if (ParseChange(text, change)) return Status::OK();
  return Malformed(volume, kChangeAttribute, text);
}

Status DecodeEntry(const std::string& volume, const std::string& key,
                   const std::string& text, FileEntry* entry) {
  *entry = FileEntry();
  if (text == "directory") return Status::OK();
  const std::vector<std::string_view> words = Words(text);
  if (words.size() == 2 && words[0] == "shared" && !words[1].empty()) {
    entry->id = words[1];
    return Status::OK();
  }
  const bool open = words.size() == 3 && words[0] == "open";
  const bool closed = words.size() == 4 && words[0] == "closed" &&
                      ParseNumber(words[3], &entry->size);
  if ((!open && !closed) || !ParsePool(words[1], &entry->pool) ||
      words[2].empty()) {
    return Malformed(volume, key, text);
  }
  entry->kind = open ? FileEntry::Kind::kOpen : FileEntry::Kind::kClosed;
  entry->id = words[2];
  return Status::OK();
}

Status DecodeNames(const std::string& volume, const EntryMap& entries,
                   NameMap* names) {
  names->clear();
  for (const auto& [key, text] : entries) {
    const Status status =
        DecodeEntry(volume, key, text, &(*names)[key.substr(1)]);
    if (!status.ok()) return status;
  }
  return Status::OK();
}

Status DecodeTrash(const std::string& volume, const EntryMap& entries,
                   TrashMap* trash) {
  trash->clear();
  for (const auto& [key, text] : entries) {
    TrashEntry& entry = (*trash)[key.substr(1)];
    const std::vector<std::string_view> words = Words(text);
    if (words.size() != 4 || !ParsePool(words[0], &entry.pool) ||
        !ParseNumber(words[1], &entry.seconds) ||
        !ParseNumber(words[2], &entry.size) ||
        !ParseChange(words[3], &entry.change)) {
      return Malformed(volume, key, text);
    }
  }
  return Status::OK();
}

Status DecodePins(const std::string& volume, const EntryMap& entries,
                  PinMap* pins) {
  pins->clear();
  for (const auto& [key, text] : entries) {
    PinEntry& entry = (*pins)[key.substr(1)];
    const std::vector<std::string_view> words = Words(text);
    uint64_t lease = 0;
    if (words.size() < 3 || !ParseNumber(words[0], &lease) ||
        lease > UINT32_MAX || !ParseNumber(words[1], &entry.beat) ||
        !ParseChange(words[2], &entry.change)) {
      return Malformed(volume, key, text);
    }
    entry.lease_seconds = static_cast<uint32_t>(lease);
    entry.ids.insert(words.begin() + 3, words.end());
  }
  return Status::OK();
}

ObjectName NamesObject(const std::string& volume) {
  return {Pool::kNames, volume};
}

ObjectName StripeObject(const std::string& volume, Pool pool,
                        const std::string& id, uint64_t stripe) {
  return {pool, volume + "/" + id + "." + std::to_string(stripe)};
}

ObjectName SharedObject(const std::string& volume, const std::string& id) {
  return {Pool::kNames, volume + "/" + id + ".names"};
}

std::string EpochOfId(const std::string& id) {
  uint64_t epoch = 0;
  ParseNumber(id.substr(0, id.find('-')), &epoch);
  return EncodeEpoch(epoch);
}

std::string ParentOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

std::string CleanPath(const std::string& path) {
  std::string clean;
  for (const char c : path) {
    if (c != '/' || clean.empty() || clean.back() != '/') clean += c;
  }
  if (clean.ends_with('/')) clean.pop_back();
  return clean;
}

Status StatusOf(const std::string& path, const std::string& what,
                const StoreResult& result) {
  const std::string detail =
      what + (result.message.empty() ? "" : ": " + result.message);
  switch (result.code) {
    case StoreCode::kOk:
      return Status::OK();
    case StoreCode::kNotFound:
      return Status::PathNotFound(path, detail);
    case StoreCode::kNoSpace:
      return Status::NoSpace(path, detail);
    case StoreCode::kBlocklisted:
      return Status::IOFenced(
          path, detail + ": the cluster refuses this client (blocklist)");
    case StoreCode::kUnknown:
      return Status::IOError(path, detail + ": no answer from the cluster");
    default:
      return Status::IOError(path, detail);
  }
}

}  // namespace tamis::rados
