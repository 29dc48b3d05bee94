// SPDX-License-Identifier: Apache-2.0
#include "tamis/file_checksum.h"

#include <map>
#include <utility>

#include "util/base/immortal.h"
#include "util/coding/crc32c.h"

namespace tamis {

FileChecksumGenerator::~FileChecksumGenerator() = default;
FileChecksumGenFactory::~FileChecksumGenFactory() = default;
FileChecksumList::~FileChecksumList() = default;

namespace {

class Crc32cGenerator final : public FileChecksumGenerator {
 public:
  void Update(const char* data, size_t n) override {
    crc_ = crc32c::Extend(crc_, data, n);
  }
  void Finalize() override {}
  std::string GetChecksum() const override {
    std::string bytes;
    for (const int shift : {24, 16, 8, 0}) {
      bytes += static_cast<char>(static_cast<unsigned char>(crc_ >> shift));
    }
    return bytes;
  }
  const char* Name() const override { return kStandardDbFileChecksumFuncName; }

 private:
  uint32_t crc_ = 0;
};

class Crc32cFactory final : public FileChecksumGenFactory {
 public:
  std::unique_ptr<FileChecksumGenerator> CreateFileChecksumGenerator(
      const FileChecksumGenContext& context) override {
    const std::string& requested = context.requested_checksum_func_name;
    if (!requested.empty() && requested != kStandardDbFileChecksumFuncName) {
      return nullptr;
    }
    return std::make_unique<Crc32cGenerator>();
  }
  const char* Name() const override { return "FileChecksumGenCrc32cFactory"; }
};

class ChecksumsByNumber final : public FileChecksumList {
 public:
  void reset() override { files_.clear(); }
  size_t size() const override { return files_.size(); }
  Status GetAllFileChecksums(
      std::vector<uint64_t>* file_numbers, std::vector<std::string>* checksums,
      std::vector<std::string>* checksum_func_names) override {
    if (file_numbers == nullptr || checksums == nullptr ||
        checksum_func_names == nullptr) {
      return Status::InvalidArgument("GetAllFileChecksums",
                                     "a vector is nullptr");
    }
    file_numbers->clear();
    checksums->clear();
    checksum_func_names->clear();
    for (const auto& [number, file] : files_) {
      file_numbers->push_back(number);
      checksums->push_back(file.first);
      checksum_func_names->push_back(file.second);
    }
    return Status::OK();
  }
  Status SearchOneFileChecksum(uint64_t file_number, std::string* checksum,
                               std::string* checksum_func_name) override {
    if (checksum == nullptr || checksum_func_name == nullptr) {
      return Status::InvalidArgument("SearchOneFileChecksum",
                                     "a string is nullptr");
    }
    const auto found = files_.find(file_number);
    if (found == files_.end()) return Missing(file_number);
    *checksum = found->second.first;
    *checksum_func_name = found->second.second;
    return Status::OK();
  }
  Status InsertOneFileChecksum(uint64_t file_number,
                               const std::string& checksum,
                               const std::string& checksum_func_name) override {
    files_[file_number] = {checksum, checksum_func_name};
    return Status::OK();
  }
  Status RemoveOneFileChecksum(uint64_t file_number) override {
    return files_.erase(file_number) != 0 ? Status::OK() : Missing(file_number);
  }

 private:
  static Status Missing(uint64_t number) {
    return Status::NotFound("file checksum list",
                            "it lacks file " + std::to_string(number));
  }

  std::map<uint64_t, std::pair<std::string, std::string>> files_;
};

struct SharedCrc32cFactory {
  std::shared_ptr<FileChecksumGenFactory> factory =
      std::make_shared<Crc32cFactory>();
};

}  // namespace

std::shared_ptr<FileChecksumGenFactory> GetFileChecksumGenCrc32cFactory() {
  return Immortal<SharedCrc32cFactory>()->factory;
}

FileChecksumList* NewFileChecksumList() { return new ChecksumsByNumber(); }

}  // namespace tamis
