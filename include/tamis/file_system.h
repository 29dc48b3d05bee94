// SPDX-License-Identifier: Apache-2.0
//
// Files and directories, behind an interface: the operating system's, one in
// memory that simulates power cuts, or a user's own.
//
// Every error names the path. Threads: FileSystem from any thread; files as
// said at each.
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

// Reads from front to back. One thread.
class SequentialFile {
 public:
  virtual ~SequentialFile();
  // Up to n bytes into scratch[0, n); *result points there, or elsewhere in
  // memory that lives as long as the file. Fewer than n bytes: the end.
  virtual Status Read(size_t n, Slice* result, char* scratch) = 0;
  virtual Status Skip(uint64_t n) = 0;
};

// Reads at any offset. Const and any thread: no cursor.
class RandomAccessFile {
 public:
  virtual ~RandomAccessFile();
  // As SequentialFile::Read, from `offset`. Fewer than n bytes: the end.
  virtual Status Read(uint64_t offset, size_t n, Slice* result,
                      char* scratch) const = 0;
};

// Appends. One thread at a time.
// Bytes are safe from a kill of the process after Flush, from a power cut
// after Sync (if the file's directory was synced once since its creation).
class WritableFile {
 public:
  virtual ~WritableFile();  // closes, dropping what was not flushed
  virtual Status Append(const Slice& data) = 0;
  // Hands all that was appended to the operating system.
  virtual Status Flush() = 0;
  // For small pieces, where the file's end is memory of the operating system:
  // where to store the next n bytes, which are zeros there. nullptr: not (or
  // not any more) in this file: Append. Commit says that the first n were
  // stored: they are appended, and as safe as after Flush. A process that is
  // killed between the two leaves what it had stored; and until Sync or Close
  // the file that others see ends in zeros.
  virtual char* Reserve(size_t /*n*/) { return nullptr; }
  // REQUIRES: the last call was Reserve, of so many bytes or more.
  virtual void Commit(size_t /*n*/) {}
  // Flush, then wait until the device has the data.
  virtual Status Sync() = 0;
  // Lets bytes [offset, offset + n), which were appended, begin their way to
  // the device, so that a later Sync waits for less. A hint: nothing is
  // promised, nothing waited for.
  virtual void RangeSync(uint64_t /*offset*/, uint64_t /*n*/) {}
  // Flush and close. No call but the destructor may follow.
  virtual Status Close() = 0;
  // Bytes appended so far, buffered ones included.
  virtual uint64_t GetFileSize() const = 0;
};

// Held while it lives; released by its destructor.
class FileLock {
 public:
  virtual ~FileLock();
};

class FileSystem {
 public:
  virtual ~FileSystem();
  virtual const char* Name() const = 0;

  // A file that is not there: Status::IsPathNotFound().
  virtual Status NewSequentialFile(const std::string& path,
                                   std::unique_ptr<SequentialFile>* file) = 0;
  virtual Status NewRandomAccessFile(
      const std::string& path, std::unique_ptr<RandomAccessFile>* file) = 0;
  // Creates the file, or empties it.
  virtual Status NewWritableFile(const std::string& path,
                                 std::unique_ptr<WritableFile>* file) = 0;

  // OK, IsPathNotFound(), or the error that keeps the answer from us.
  virtual Status FileExists(const std::string& path) = 0;
  // Names without "." and "..", in no order.
  virtual Status GetChildren(const std::string& directory,
                             std::vector<std::string>* names) = 0;
  virtual Status GetFileSize(const std::string& path, uint64_t* size) = 0;
  // Whether the path itself, not what it leads to, is a symbolic link. False
  // when nothing is there. By default: this file system has no such links.
  virtual Status IsSymbolicLink(const std::string& /*path*/, bool* link) {
    *link = false;
    return Status::OK();
  }
  virtual Status RemoveFile(const std::string& path) = 0;
  // Replaces `to` atomically when it is there.
  virtual Status RenameFile(const std::string& from, const std::string& to) = 0;
  // A second name for the file, which both then share. NotSupported where the
  // file system has no hard links, or none from here to there.
  virtual Status LinkFile(const std::string& from, const std::string& to) {
    return Status::NotSupported(from + " -> " + to, "no hard links here");
  }
  virtual Status CreateDirIfMissing(const std::string& path) = 0;
  // REQUIRES: empty
  virtual Status RemoveDir(const std::string& path) = 0;
  // Makes creations, renames and removals in the directory survive a power
  // cut.
  virtual Status SyncDirectory(const std::string& path) = 0;

  // Creates the file when missing and locks it against every other opener, in
  // this process or another. Somebody has it: Status::IsBusy().
  virtual Status LockFile(const std::string& path,
                          std::unique_ptr<FileLock>* lock) = 0;
  // Whether this process or another holds the lock that LockFile gives. Takes
  // no lock and changes nothing. False when the file is missing. NotSupported:
  // this file system cannot tell.
  virtual Status IsLocked(const std::string& path, bool* /*locked*/) {
    return Status::NotSupported(path, "no telling whether it is locked");
  }
};

std::shared_ptr<FileSystem> NewPosixFileSystem();

// Whole files, for small ones (CURRENT, IDENTITY, LOG).
Status ReadFileToString(FileSystem* fs, const std::string& path,
                        std::string* contents);
Status WriteStringToFile(FileSystem* fs, const Slice& contents,
                         const std::string& path, bool sync);

}  // namespace tamis
