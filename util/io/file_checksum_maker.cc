// SPDX-License-Identifier: Apache-2.0
#include "util/io/file_checksum_maker.h"

#include "util/base/exceptions.h"
#include "util/io/file_io.h"

namespace tamis {

namespace {

constexpr size_t kPieceBytes = 256 << 10;

// Runs user code. An exception that may pass keeps its code.
template <typename Call>
Status CatchOf(const std::string& whose, const std::string& path,
               const Call& call) {
  const Status status = CatchExceptions(call);
  if (status.ok() || status.IsMemoryLimit() || status.IsTryAgain()) {
    return status;
  }
  return Status::Aborted(path, whose + ": " + status.message());
}

// Returns the name that the user's code gives, or an empty one.
std::string NameOf(const char* name) { return name != nullptr ? name : ""; }

}  // namespace

Result<std::unique_ptr<FileChecksumMaker>> FileChecksumMaker::Make(
    FileChecksumGenFactory* factory, const std::string& path,
    const std::string& function) {
  std::unique_ptr<FileChecksumMaker> made;
  if (factory == nullptr) return made;
  std::unique_ptr<FileChecksumGenerator> generator;
  std::string name;
  std::string factory_name;
  TAMIS_RETURN_IF_ERROR(CatchOf("file checksum factory", path, [&] {
    factory_name = NameOf(factory->Name());
    generator = factory->CreateFileChecksumGenerator({path, function});
    if (generator != nullptr) name = NameOf(generator->Name());
    return Status::OK();
  }));
  if (!function.empty() && name != function) {
    return Status::InvalidArgument(
        path,
        "its checksum is of function \"" + function + "\"; factory \"" +
            factory_name +
            (generator == nullptr ? "\" makes no generator for that"
                                  : "\" made a generator of \"" + name + "\""));
  }
  if (generator == nullptr) return made;
  if (name.empty() || name == kUnknownFileChecksumFuncName) {
    return Status::InvalidArgument(
        path, "the generator of file checksum factory \"" + factory_name +
                  "\" has the name \"" + name +
                  "\", which stands for no checksum");
  }
  made.reset(
      new FileChecksumMaker(std::move(generator), std::move(name), path));
  return made;
}

Status FileChecksumMaker::Update(const Slice& data) {
  return CatchOf("file checksum generator " + name_, path_, [&] {
    generator_->Update(data.data(), data.size());
    return Status::OK();
  });
}

Result<FileChecksum> FileChecksumMaker::Finish() {
  FileChecksum checksum;
  checksum.function = name_;
  TAMIS_RETURN_IF_ERROR(CatchOf("file checksum generator " + name_, path_, [&] {
    generator_->Finalize();
    checksum.value = generator_->GetChecksum();
    return checksum.value.empty() ? Status::Aborted("its checksum is empty")
                                  : Status::OK();
  }));
  return checksum;
}

Status ChecksummedWrites::Append(const Slice& data) {
  if (maker_ != nullptr) TAMIS_RETURN_IF_ERROR(maker_->Update(data));
  return base_->Append(data);
}

Result<FileChecksum> ChecksummedWrites::FinishChecksum() {
  return maker_ != nullptr ? maker_->Finish() : FileChecksum();
}

Result<FileChecksum> ChecksumOfFile(const RandomAccessFile& file,
                                    size_t piece_bytes,
                                    FileChecksumMaker* maker) {
  if (piece_bytes == 0) piece_bytes = kPieceBytes;
  const auto scratch = std::make_unique<char[]>(piece_bytes);
  for (uint64_t offset = 0;;) {
    Slice piece;
    const Status status =
        file_io::Read(file, offset, piece_bytes, &piece, scratch.get());
    if (!status.ok()) return status;
    TAMIS_RETURN_IF_ERROR(maker->Update(piece));
    offset += piece.size();
    if (piece.size() < piece_bytes) break;
  }
  return maker->Finish();
}

}  // namespace tamis
