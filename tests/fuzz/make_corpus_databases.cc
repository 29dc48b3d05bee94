// SPDX-License-Identifier: Apache-2.0
//
// Directories, logs and MANIFESTs, complete and by record.
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "db/base/file_names.h"
#include "db/wal/log_reader.h"
#include "db/wal/log_writer.h"
#include "tests/fuzz/corpus.h"
#include "tests/fuzz/fuzz_directories.h"
#include "tests/fuzz/fuzz_directory.h"

namespace tamis {
namespace {

namespace fs = std::filesystem;

void EachRecord(const std::string& bytes, FileNumber number, LogKind kind,
                const std::function<void(const std::string&)>& visit) {
  LogReader reader(std::make_unique<FuzzSequentialFile>(bytes), "log", number,
                   kind);
  std::string record;
  while (reader.ReadRecord(&record) == LogReader::Outcome::kRecord) {
    visit(record);
  }
}

void AddLog(Corpus* corpus, const std::string& name, const std::string& bytes,
            FileNumber number, LogKind kind) {
  const bool manifest = kind == LogKind::kManifest;
  corpus->Add("log_fuzz", name, Byte(manifest ? 1 : 0) + bytes.substr(0, 2000));
  size_t count = 0;
  EachRecord(bytes, number, kind, [&](const std::string& record) {
    // The records of a log are like its first.
    if (++count > (manifest ? 5 : 1) || record.size() > 1000) return;
    corpus->Add(manifest ? "version_edit_fuzz" : "batch_fuzz",
                name + "-" + std::to_string(count), record);
  });
}

void AddRecordedDirectories(Corpus* corpus, const fs::path& golden) {
  for (const char* writer :
       {"rocksdb-6.29.5", "rocksdb-7.8.3", "rocksdb-11.9", "leveldb-1.23"}) {
    const fs::path dirs = golden / writer / "dirs";
    if (!fs::exists(dirs)) continue;
    for (const auto& file : fs::recursive_directory_iterator(dirs)) {
      const auto parsed = ParseFileName(file.path().filename().string());
      if (!parsed || !file.is_regular_file()) continue;
      if (parsed->type != FileKind::kLog &&
          parsed->type != FileKind::kDescriptor) {
        continue;
      }
      const std::string name = file.path().parent_path().filename().string() +
                               "-" + file.path().filename().string() + "-" +
                               writer;
      AddLog(
          corpus, name, Contents(file.path()), parsed->number,
          parsed->type == FileKind::kLog ? LogKind::kWal : LogKind::kManifest);
    }
  }
}

void AddDatabase(Corpus* corpus) {
  std::string edits;
  std::string batches;
  for (const auto& [name, bytes] : MakeFuzzDatabase()) {
    const auto parsed = ParseFileName(name);
    if (!parsed) continue;
    const bool log = parsed->type == FileKind::kLog;
    if (!log && parsed->type != FileKind::kDescriptor) continue;
    const LogKind kind = log ? LogKind::kWal : LogKind::kManifest;
    AddLog(corpus, "own-" + name, bytes, parsed->number, kind);
    EachRecord(bytes, parsed->number, kind, [&](const std::string& record) {
      (log ? batches : edits) +=
          Byte(log ? 1 : 0) + Short(record.size()) + record;
    });
  }
  corpus->Add("recovery_fuzz", "whole", edits + batches);
  corpus->Add("recovery_fuzz", "edits", edits);
  // An edit that says nothing, and something to write in between.
  corpus->Add("recovery_fuzz", "written", edits + batches + Byte(4) + Short(0));
  corpus->Add("recovery_fuzz", "short_batch",
              edits + Byte(1) + Short(3) + "abc" + batches);
  corpus->Add("recovery_fuzz", "batches", batches);
}

// nullopt: a file that directory_fuzz.cc does not know.
std::optional<FuzzFile> FileOf(const std::string& name,
                               const std::string& bytes) {
  const auto parsed = ParseFileName(name);
  if (!parsed) return std::nullopt;
  FuzzFile file;
  file.number = static_cast<uint8_t>(parsed->number.value());
  file.bytes = bytes;
  switch (parsed->type) {
    case FileKind::kCurrent:
      file.kind = FuzzFileKind::kCurrent;
      break;
    case FileKind::kDescriptor:
      file.kind = FuzzFileKind::kManifest;
      break;
    case FileKind::kLog:
      file.kind = FuzzFileKind::kLog;
      break;
    case FileKind::kTable:
      file.kind = name.ends_with(".ldb") ? FuzzFileKind::kLevelDBTable
                                         : FuzzFileKind::kTable;
      break;
    default:
      return std::nullopt;
  }
  return file;
}

void AddDirectories(Corpus* corpus) {
  const std::pair<const char*, FuzzBase> bases[] = {
      {"small", MakeFuzzBase()},
      {"families", MakeFuzzFamiliesBase()},
      {"leveldb", MakeFuzzLevelDBBase()}};
  unsigned number = 0;
  for (const auto& [name, base] : bases) {
    FuzzDirectoryInput directory;
    for (const auto& [file_name, bytes] : base.files) {
      const auto file = FileOf(file_name, bytes);
      if (!file) continue;
      directory.files.push_back(*file);
      if (file->kind == FuzzFileKind::kLevelDBTable) {
        corpus->Add("leveldb_fuzz", file_name, Byte(0) + bytes);
      }
    }
    for (const unsigned way : {0u, 4u, 6u}) {
      directory.mode = static_cast<uint8_t>(way);
      directory.flags = way == 0 ? 3 : 1;
      corpus->Add("directory_fuzz", name + std::to_string(way),
                  directory.Encode());
    }
    for (unsigned way = 0; way < 8; ++way) {
      // Whole, and with a byte changed in the middle of a file.
      const std::string input = Byte(number) + Byte(way) + Byte(way);
      corpus->Add("damage_fuzz", name + std::to_string(way), input);
      corpus->Add("damage_fuzz", name + std::to_string(way) + "_damaged",
                  input + Byte(way) + Byte(7) + Short(300) + Byte(1));
    }
    ++number;
  }
}

// Without the last record of the MANIFEST.
std::string CutLastRecord(const std::string& manifest, FileNumber number) {
  std::vector<std::string> records;
  EachRecord(manifest, number, LogKind::kManifest,
             [&](const std::string& record) { records.push_back(record); });
  records.pop_back();
  std::string bytes;
  LogWriter writer(std::make_unique<FuzzWritableFile>(&bytes), number);
  for (const std::string& record : records) {
    Claim(writer.AddRecord(record).ok());
  }
  Claim(writer.Flush().ok());
  return bytes;
}

// The tables of a database whose second family has one.
FuzzFiles MakeFuzzOrphan() {
  FuzzFamilies database;
  Claim(database.db()
            ->Put(WriteOptions(), database.family(1), "key", "value")
            .ok());
  Claim(database.db()->Flush(FlushOptions(), database.family(1)).ok());
  FuzzFiles tables = database.TakeFiles();
  std::erase_if(tables,
                [](const auto& file) { return !file.first.ends_with(".sst"); });
  return tables;
}

// What an open or a repair finds where a MANIFEST is short or gone.
void AddLostManifests(Corpus* corpus) {
  const FuzzBase base = MakeFuzzFamiliesBase();
  for (const bool gone : {false, true}) {
    FuzzDirectoryInput directory;
    directory.flags = 2;
    for (const auto& [name, bytes] : base.files) {
      auto file = FileOf(name, bytes);
      if (!file) continue;
      if (file->kind == FuzzFileKind::kManifest) {
        file->bytes = CutLastRecord(bytes, FileNumber(file->number));
      }
      const bool is_manifest = file->kind == FuzzFileKind::kManifest ||
                               file->kind == FuzzFileKind::kCurrent;
      if (!gone || !is_manifest) directory.files.push_back(*std::move(file));
    }
    for (const unsigned way : {0u, 6u}) {
      directory.mode = static_cast<uint8_t>(way);
      corpus->Add(
          "directory_fuzz",
          (gone ? "no_manifest" : "short_manifest") + std::to_string(way),
          directory.Encode());
    }
  }
  // A flush whose record and whose log are gone, and a family that a table
  // alone names.
  FuzzDirectoryInput flush;
  for (const auto& [name, bytes] : base.files) {
    auto file = FileOf(name, bytes);
    if (!file || name == "000008.log") continue;
    if (file->kind == FuzzFileKind::kManifest) {
      file->bytes = CutLastRecord(bytes, FileNumber(file->number));
    }
    flush.files.push_back(*std::move(file));
  }
  FuzzDirectoryInput orphan;
  orphan.mode = 6;
  for (const auto& [name, bytes] : MakeFuzzOrphan()) {
    orphan.files.push_back(FileOf(name, bytes).value());
  }
  corpus->Add("directory_fuzz", "lost_flush0", flush.Encode());
  flush.mode = 6;
  corpus->Add("directory_fuzz", "lost_flush6", flush.Encode());
  corpus->Add("directory_fuzz", "orphan6", orphan.Encode());
  // A creation that was cut short.
  FuzzDirectoryInput begun;
  begun.flags = 4;
  begun.files.push_back({FuzzFileKind::kManifest, 1, ""});
  corpus->Add("directory_fuzz", "begun", begun.Encode());
  corpus->Add("directory_fuzz", "empty", Byte(0) + Byte(4));
}

void AddCleanlyClosed(Corpus* corpus) {
  std::string bytes;
  LogWriter writer(std::make_unique<FuzzWritableFile>(&bytes), FileNumber(7));
  Claim(writer.AddRecord("a record").ok());
  Claim(writer.AddCleanCloseMarker(5).ok());
  Claim(writer.Flush().ok());
  corpus->Add("clean_close_fuzz", "marked", Byte(0) + bytes);
  for (const unsigned fill : {9u, 32700u, 32748u, 32761u}) {
    corpus->Add("clean_close_fuzz", "written" + std::to_string(fill),
                Byte(1) + Byte(3) + Short(fill) + Byte(2) + "ab");
  }
}

}  // namespace

void AddDatabases(Corpus* corpus, const fs::path& golden) {
  AddDatabase(corpus);
  AddDirectories(corpus);
  AddLostManifests(corpus);
  AddCleanlyClosed(corpus);
  AddRecordedDirectories(corpus, golden);
}

}  // namespace tamis
