// SPDX-License-Identifier: Apache-2.0
//
// Runs a user's FileChecksumGenerator over the bytes of a file. Its exceptions
// become errors that name it and the file.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "tamis/file_checksum.h"
#include "tamis/file_system.h"

#include "util/base/result.h"

namespace tamis {

// The checksum of a file, as the MANIFEST has it.
struct FileChecksum {
  std::string value = kUnknownFileChecksum;
  std::string function = kUnknownFileChecksumFuncName;

  bool known() const {
    return !function.empty() && function != kUnknownFileChecksumFuncName;
  }
  friend bool operator==(const FileChecksum&, const FileChecksum&) = default;
};

// One thread at a time.
class FileChecksumMaker {
 public:
  // Returns one for the file, or nullptr if there is no factory, or if it makes
  // no generator. With `function`, the factory must make that: otherwise
  // returns InvalidArgument. The factory outlives the result.
  static Result<std::unique_ptr<FileChecksumMaker>> Make(
      FileChecksumGenFactory* factory, const std::string& path,
      const std::string& function = "");

  Status Update(const Slice& data);
  // Returns the checksum of all bytes; Aborted if it is empty.
  Result<FileChecksum> Finish();
  // Of the function.
  const std::string& name() const { return name_; }

 private:
  FileChecksumMaker(std::unique_ptr<FileChecksumGenerator> generator,
                    std::string name, std::string path)
      : generator_(std::move(generator)),
        name_(std::move(name)),
        path_(std::move(path)) {}

  const std::unique_ptr<FileChecksumGenerator> generator_;
  const std::string name_;
  const std::string path_;
};

// Passes everything on to a file, and computes its checksum.
class ChecksummedWrites final : public WritableFile {
 public:
  // `maker` may be nullptr: there is no checksum then.
  ChecksummedWrites(std::unique_ptr<WritableFile> base,
                    std::unique_ptr<FileChecksumMaker> maker)
      : base_(std::move(base)), maker_(std::move(maker)) {}

  Status Append(const Slice& data) override;
  Status Flush() override { return base_->Flush(); }
  Status Sync() override { return base_->Sync(); }
  void RangeSync(uint64_t offset, uint64_t n) override {
    base_->RangeSync(offset, n);
  }
  Status Close() override { return base_->Close(); }
  uint64_t GetFileSize() const override { return base_->GetFileSize(); }

  // Returns the checksum of what was appended, an unknown one without a maker.
  // Must be called once, after the last Append.
  Result<FileChecksum> FinishChecksum();

 private:
  const std::unique_ptr<WritableFile> base_;
  const std::unique_ptr<FileChecksumMaker> maker_;
};

// Reads all of the file, in pieces of `piece_bytes` (0: 256 KiB), and returns
// its checksum.
Result<FileChecksum> ChecksumOfFile(const RandomAccessFile& file,
                                    size_t piece_bytes,
                                    FileChecksumMaker* maker);

}  // namespace tamis
