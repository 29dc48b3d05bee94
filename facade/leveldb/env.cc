// SPDX-License-Identifier: Apache-2.0
//
// The interfaces of leveldb/env.h, and functions over them.
#include <memory>

#include <leveldb/env.h>

namespace leveldb {

Env::Env() = default;
Env::~Env() = default;
EnvWrapper::~EnvWrapper() = default;
SequentialFile::~SequentialFile() = default;
RandomAccessFile::~RandomAccessFile() = default;
WritableFile::~WritableFile() = default;
Logger::~Logger() = default;
FileLock::~FileLock() = default;

Status Env::NewAppendableFile(const std::string& fname,
                              WritableFile** /*result*/) {
  return Status::NotSupported("NewAppendableFile", fname);
}

// An Env overrides one name or the other of each pair.
Status Env::RemoveFile(const std::string& fname) { return DeleteFile(fname); }
Status Env::DeleteFile(const std::string& fname) { return RemoveFile(fname); }
Status Env::RemoveDir(const std::string& dirname) { return DeleteDir(dirname); }
Status Env::DeleteDir(const std::string& dirname) { return RemoveDir(dirname); }

Status WriteStringToFile(Env* env, const Slice& data,
                         const std::string& fname) {
  WritableFile* opened = nullptr;
  Status status = env->NewWritableFile(fname, &opened);
  if (!status.ok()) return status;
  std::unique_ptr<WritableFile> file(opened);
  status = file->Append(data);
  if (status.ok()) status = file->Close();
  file.reset();
  if (!status.ok()) env->RemoveFile(fname);
  return status;
}

Status ReadFileToString(Env* env, const std::string& fname, std::string* data) {
  constexpr size_t kChunkBytes = 64 * 1024;
  data->clear();
  SequentialFile* opened = nullptr;
  Status status = env->NewSequentialFile(fname, &opened);
  if (!status.ok()) return status;
  const std::unique_ptr<SequentialFile> file(opened);
  const auto scratch = std::make_unique<char[]>(kChunkBytes);
  for (;;) {
    Slice chunk;
    status = file->Read(kChunkBytes, &chunk, scratch.get());
    if (!status.ok() || chunk.empty()) return status;
    data->append(chunk.data(), chunk.size());
  }
}

}  // namespace leveldb
