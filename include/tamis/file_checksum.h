// SPDX-License-Identifier: Apache-2.0
//
// Checksums of whole files: one for each table, computed while it is written
// and stored in the MANIFEST, so that a copy of the table can be checked
// without reading it as a table. DBOptions::file_checksum_gen_factory turns
// them on; DB::VerifyFileChecksums checks them.
//
// The names are RocksDB's, and so are the checksums: either engine verifies
// those of the other, if both have a factory for the function.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tamis/export.h"
#include "tamis/status.h"

namespace tamis {

// What a table has that was written without a factory.
inline constexpr char kUnknownFileChecksum[] = "";
inline constexpr char kUnknownFileChecksumFuncName[] = "Unknown";
// The function of GetFileChecksumGenCrc32cFactory.
inline constexpr char kStandardDbFileChecksumFuncName[] = "FileChecksumCrc32c";

// What a factory is told of the file.
struct FileChecksumGenContext {
  std::string file_name;  // its path
  // The function whose checksum is to be verified, or empty for a new file,
  // which leaves the choice to the factory.
  std::string requested_checksum_func_name;
};

// Computes the checksum of one file: Update* Finalize GetChecksum. One thread
// at a time, which may change between calls. If a call throws, the job fails
// that writes the file, with an error that names the generator.
class TAMIS_EXPORT FileChecksumGenerator {
 public:
  virtual ~FileChecksumGenerator();
  // Adds the next n bytes of the file.
  virtual void Update(const char* data, size_t n) = 0;
  // No more bytes follow.
  virtual void Finalize() = 0;
  // Returns the checksum: any bytes, at least one. REQUIRES: Finalize was
  // called.
  virtual std::string GetChecksum() const = 0;
  // Returns the name of the function, which the MANIFEST stores. Not empty, and
  // not "Unknown".
  virtual const char* Name() const = 0;
};

// Makes generators. Any thread.
class TAMIS_EXPORT FileChecksumGenFactory {
 public:
  virtual ~FileChecksumGenFactory();
  // Returns a generator for the file, or nullptr: a new file then gets no
  // checksum, and the checksum of an old one cannot be verified.
  virtual std::unique_ptr<FileChecksumGenerator> CreateFileChecksumGenerator(
      const FileChecksumGenContext& context) = 0;
  virtual const char* Name() const = 0;
};

// Returns the factory of the function "FileChecksumCrc32c": the CRC-32C of all
// bytes, most significant byte first. OPTIONS files know it by its name,
// "FileChecksumGenCrc32cFactory".
TAMIS_EXPORT std::shared_ptr<FileChecksumGenFactory>
GetFileChecksumGenCrc32cFactory();

// Checksums of files by their number. One thread at a time.
class TAMIS_EXPORT FileChecksumList {
 public:
  virtual ~FileChecksumList();
  // Removes all files, and returns their number.
  virtual void reset() = 0;
  virtual size_t size() const = 0;
  // Sets the vectors to all numbers, ascending, with checksum and function of
  // each. Returns InvalidArgument if one is nullptr.
  virtual Status GetAllFileChecksums(
      std::vector<uint64_t>* file_numbers, std::vector<std::string>* checksums,
      std::vector<std::string>* checksum_func_names) = 0;
  // Returns NotFound if the list lacks the file; InvalidArgument if a pointer
  // is nullptr.
  virtual Status SearchOneFileChecksum(uint64_t file_number,
                                       std::string* checksum,
                                       std::string* checksum_func_name) = 0;
  // Replaces what the list has of the file.
  virtual Status InsertOneFileChecksum(
      uint64_t file_number, const std::string& checksum,
      const std::string& checksum_func_name) = 0;
  // Returns NotFound if the list lacks the file.
  virtual Status RemoveOneFileChecksum(uint64_t file_number) = 0;
};

// Returns an empty list, which the caller deletes.
TAMIS_EXPORT FileChecksumList* NewFileChecksumList();

}  // namespace tamis
