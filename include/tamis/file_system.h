// SPDX-License-Identifier: Apache-2.0
//
// A FileSystem gives access to files and directories: the operating system's,
// one in memory that simulates power failures, or a user's own.
//
// Every error names the path. Threads: a FileSystem from any thread; files as
// documented at each class.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tamis/slice.h"
#include "tamis/status.h"

namespace tamis {

// Reads sequentially. One thread.
class SequentialFile {
 public:
  virtual ~SequentialFile();
  // Reads up to n bytes into scratch[0, n). *result points there, or to other
  // memory that lives as long as the file. Fewer than n bytes: end of file.
  virtual Status Read(size_t n, Slice* result, char* scratch) = 0;
  virtual Status Skip(uint64_t n) = 0;
};

// Reads at any offset. Const, any thread.
class RandomAccessFile {
 public:
  virtual ~RandomAccessFile();
  // As SequentialFile::Read, starting at `offset`.
  virtual Status Read(uint64_t offset, size_t n, Slice* result,
                      char* scratch) const = 0;
};

// Appends. One thread at a time.
// After Flush, appended bytes survive a kill of the process; after Sync, a
// power failure, if the directory has been synced since the file was created.
class WritableFile {
 public:
  virtual ~WritableFile();  // closes; discards what was not flushed
  virtual Status Append(const Slice& data) = 0;
  // Passes all appended bytes to the operating system.
  virtual Status Flush() = 0;
  // Zero-copy append, for small records in a memory-mapped file. Returns where
  // to store the next n bytes, which are zero; nullptr: not available for this
  // file (any more), use Append. Commit(n) appends the first n of them; they
  // are then as safe as after Flush. Bytes stored but not committed remain in
  // the file if the process is killed. Until Sync or Close, other readers see
  // the file padded with zeros.
  virtual char* Reserve(size_t /*n*/) { return nullptr; }
  // REQUIRES: the last call was Reserve, of at least n bytes.
  virtual void Commit(size_t /*n*/) {}
  // Flushes, then waits until the device has stored the data.
  virtual Status Sync() = 0;
  // Starts writeback of the appended bytes [offset, offset + n), so that a
  // later Sync waits for less. A hint: returns at once and guarantees nothing.
  virtual void RangeSync(uint64_t /*offset*/, uint64_t /*n*/) {}
  // Flushes and closes. Only the destructor may be called afterwards.
  virtual Status Close() = 0;
  // Bytes appended so far, including buffered ones.
  virtual uint64_t GetFileSize() const = 0;
};

// A lock on a file; the destructor releases it.
class FileLock {
 public:
  virtual ~FileLock();
};

class FileSystem {
 public:
  virtual ~FileSystem();
  virtual const char* Name() const = 0;

  // Status::IsPathNotFound() if the file does not exist.
  virtual Status NewSequentialFile(const std::string& path,
                                   std::unique_ptr<SequentialFile>* file) = 0;
  virtual Status NewRandomAccessFile(
      const std::string& path, std::unique_ptr<RandomAccessFile>* file) = 0;
  // Creates or truncates the file.
  virtual Status NewWritableFile(const std::string& path,
                                 std::unique_ptr<WritableFile>* file) = 0;

  // OK, IsPathNotFound(), or the error that prevented the check.
  virtual Status FileExists(const std::string& path) = 0;
  // Names without "." and "..", in no particular order.
  virtual Status GetChildren(const std::string& directory,
                             std::vector<std::string>* names) = 0;
  virtual Status GetFileSize(const std::string& path, uint64_t* size) = 0;
  // Sets *link to whether the path itself is a symbolic link; links are not
  // followed. False if nothing exists there. Default: no symbolic links.
  virtual Status IsSymbolicLink(const std::string& /*path*/, bool* link) {
    *link = false;
    return Status::OK();
  }
  virtual Status RemoveFile(const std::string& path) = 0;
  // Atomically replaces `to` if it exists.
  virtual Status RenameFile(const std::string& from, const std::string& to) = 0;
  // Creates a hard link. NotSupported: the file system has no hard links, or
  // cannot link across these directories.
  virtual Status LinkFile(const std::string& from, const std::string& to) {
    return Status::NotSupported(from + " -> " + to, "no hard links here");
  }
  virtual Status CreateDirIfMissing(const std::string& path) = 0;
  // REQUIRES: the directory is empty.
  virtual Status RemoveDir(const std::string& path) = 0;
  // Makes creations, renames and removals in the directory survive a power
  // failure.
  virtual Status SyncDirectory(const std::string& path) = 0;

  // Creates the file if missing and locks it exclusively, within this process
  // and across processes. Status::IsBusy(): already locked.
  virtual Status LockFile(const std::string& path,
                          std::unique_ptr<FileLock>* lock) = 0;
  // Sets *locked to whether any process holds LockFile's lock. Takes no lock
  // and changes nothing. False if the file is missing. NotSupported: this file
  // system cannot tell.
  virtual Status IsLocked(const std::string& path, bool* /*locked*/) {
    return Status::NotSupported(path, "no telling whether it is locked");
  }
};

std::shared_ptr<FileSystem> NewPosixFileSystem();

// Read and write a whole file; for small ones (CURRENT, IDENTITY, LOG).
Status ReadFileToString(FileSystem* fs, const std::string& path,
                        std::string* contents);
Status WriteStringToFile(FileSystem* fs, const Slice& contents,
                         const std::string& path, bool sync);

}  // namespace tamis
