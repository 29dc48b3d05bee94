// SPDX-License-Identifier: Apache-2.0
//
// A FileSystem gives access to files and directories: those of the operating
// system, those in memory, or a user's own.
//
// Every error names the path.
// Threads: any for a FileSystem; for files see each class.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tamis/export.h"
#include "tamis/slice.h"
#include "tamis/status.h"

namespace tamis {

// Reads sequentially. One thread.
class TAMIS_EXPORT SequentialFile {
 public:
  virtual ~SequentialFile();
  // Reads up to n bytes. Sets *result to them: in scratch[0, n), or in other
  // memory that lives as long as the file and does not change. Fewer than n
  // bytes mean the end of the file.
  virtual Status Read(size_t n, Slice* result, char* scratch) = 0;
  virtual Status Skip(uint64_t n) = 0;
  // Makes the next Read begin at `offset`, with the contents of that time.
  // Returns NotSupported if the file cannot, as the default does: it is opened
  // again then.
  virtual Status Seek(uint64_t offset);
};

// A read of a file, and what came of it.
struct FSReadRequest {
  // What to read.
  uint64_t offset = 0;
  size_t len = 0;
  char* scratch = nullptr;  // len bytes
  // As Read returns them.
  Slice result;
  Status status;
};

// Reads that are under way at the same time. Tamis makes these objects.
class AsyncReads;

// A read that a file has begun, and that ends by itself.
class TAMIS_EXPORT PendingRead {
 public:
  // Waits until nothing is written to the scratch any more.
  virtual ~PendingRead();
  // Waits until the read is done, and sets result and status of the request.
  // Called at most once.
  virtual void Finish() = 0;
};

// Reads at any offset. Const, any thread.
class TAMIS_EXPORT RandomAccessFile {
 public:
  virtual ~RandomAccessFile();
  // Reads as SequentialFile::Read does, starting at `offset`.
  virtual Status Read(uint64_t offset, size_t n, Slice* result,
                      char* scratch) const = 0;
  // Returns an alignment in bytes, a power of two. A Read whose offset, n and
  // address of scratch are multiples of it needs no intermediate buffer and
  // reads no superfluous bytes. Read accepts other arguments, too. The default,
  // 1, means that alignment does not matter.
  virtual size_t GetRequiredBufferAlignment() const { return 1; }
  // Reads as Read does, or begins to. Returns true if the read is done: the
  // request has its result and status. Returns false if Tamis will finish the
  // read through `reads`; until then, file, request and scratch must stay as
  // they are. Called where several reads could be under way at the same time.
  //
  // The default calls Read. A file that passes its reads on to another file
  // unchanged may pass these on, too.
  virtual bool ReadAsync(FSReadRequest* request, AsyncReads* reads) const;
  // Begins a read, for a file whose bytes come from far away, as over a
  // network. Until the PendingRead is destroyed, file, request and scratch stay
  // as they are. At most 32 reads of a thread are under way. Called before
  // ReadAsync, which is called if this returns nullptr, as it does by default.
  virtual std::unique_ptr<PendingRead> StartRead(
      FSReadRequest* /*request*/) const {
    return nullptr;
  }
};

// Appends. One thread at a time. Appended bytes survive a kill of the process
// after Flush, except for FileSystem::FlushedBytesAtRisk, and a power failure
// after Sync, if the directory has been synced since the file was created.
class TAMIS_EXPORT WritableFile {
 public:
  virtual ~WritableFile();  // closes; discards what was not flushed
  // Appends the bytes, which may be kept in memory until Flush.
  virtual Status Append(const Slice& data) = 0;
  // Passes all appended bytes to the operating system, or sends them off.
  virtual Status Flush() = 0;
  // Reserve and Commit append small records without a copy, where the file is
  // mapped into memory. Reserve returns memory for the next n bytes, which are
  // zero, or nullptr if this is not, or no longer, available for the file; the
  // caller then uses Append. Commit(n) appends the first n of the reserved
  // bytes. If that fails, every later call returns the error; after a Flush
  // that returns OK the bytes are as safe as after any Flush. Bytes stored but
  // not committed may remain in the file if the process is killed. Until Sync
  // or Close, other readers may see the file padded with zeros.
  virtual char* Reserve(size_t /*n*/) { return nullptr; }
  // REQUIRES: the last call was Reserve, of at least n bytes.
  virtual void Commit(size_t /*n*/) {}
  // Flushes, then waits until the device has stored the data.
  virtual Status Sync() = 0;
  // Starts writeback of the appended bytes [offset, offset + n), so that a
  // later Sync takes less time. A hint, which returns at once and guarantees
  // nothing.
  virtual void RangeSync(uint64_t /*offset*/, uint64_t /*n*/) {}
  // Flushes and closes. Only the destructor may be called afterwards.
  virtual Status Close() = 0;
  // Returns the bytes appended so far, including buffered ones.
  virtual uint64_t GetFileSize() const = 0;
};

// A lock on a file. The destructor releases it. A file system whose locks can
// be taken away, as by another machine that takes the database over, overrides
// the other functions.
class TAMIS_EXPORT FileLock {
 public:
  virtual ~FileLock();

  // Returns a number that each later owner of the lock has a greater one of; 0:
  // the file system does not count owners.
  virtual uint64_t epoch() const { return 0; }

  // Has `lost` called when the lock is lost, once, with a Status::IOFenced that
  // says why; at once if that is so already. The call may come from any thread,
  // beside all else. It takes the lock of the database, and uses no file. With
  // nullptr, waits for a call that runs, and ends that.
  // NOLINTNEXTLINE(performance-unnecessary-value-param): overriders keep it
  virtual void WhenLost(std::function<void(const Status& why)> /*lost*/) {}

  // Returns what a database calls before each read, so that it serves nothing
  // from its caches that another owner may have changed; nullptr, as by
  // default: nothing. The function returns OK if the lock is known to be held.
  // If that is not known, as when a lease ran out, it finds out, and waits for
  // that as reads of files do. It returns Status::IOFenced if the lock is lost,
  // and OK once it was released. Any thread; also after *this is destroyed.
  virtual std::function<Status()> ReadCheck() { return nullptr; }
};

// What a file is for. A file system may place, buffer or cache files by it.
enum class FileRole : uint8_t {
  kOther,     // small files, and the files of a backup
  kTable,     // written once, from the start to the end, and never changed
  kLog,       // the write-ahead log: appended to, and synced often
  kManifest,  // the same, rarely
  kInfoLog,   // LOG: appended to, and never synced
};

// How a file is to be read or written. RocksDB's FileOptions has other members.
struct FileOptions {
  // Allows reads through a mapping of the file. This is a hint: a file system
  // that does not map files, or fails to map one, reads it in another way.
  bool use_mmap_reads = false;
  // Requires reads that bypass the operating system's page cache (O_DIRECT).
  // This is not a hint. REQUIRES: use_mmap_reads is false.
  bool use_direct_reads = false;
  // Requires writes that bypass it. Not a hint either.
  bool use_direct_writes = false;
  // A hint, for files that are created and for tables that are opened.
  FileRole role = FileRole::kOther;
  // A hint, for files that are created: about how many bytes they will have; 0
  // if that is not known.
  uint64_t expected_size = 0;
};

// What FileSystem::WatchDirectory began, and its destructor ends.
class TAMIS_EXPORT DirectoryWatch {
 public:
  virtual ~DirectoryWatch();

  // Says that the caller has looked at what it was told of. A file system may
  // wait for that, for about a second, before it tells of later changes.
  virtual void Seen() {}
};

class TAMIS_EXPORT FileSystem {
 public:
  virtual ~FileSystem();
  // Returns a name for messages.
  virtual const char* Name() const = 0;

  // Returns how many of the last bytes of a file a kill of the process may lose
  // although they were flushed, at most: they may be on their way over a
  // network. Files that are synced lose none. LOG has it (open_start).
  virtual uint64_t FlushedBytesAtRisk() const { return 0; }

  // Opens a file for reading. Returns IsPathNotFound() if the file does not
  // exist.
  virtual Status NewSequentialFile(const std::string& path,
                                   std::unique_ptr<SequentialFile>* file) = 0;
  virtual Status NewRandomAccessFile(
      const std::string& path, std::unique_ptr<RandomAccessFile>* file) = 0;
  // Does the same, with options. Tables are opened by this function. It returns
  // NotSupported if the file cannot be read as the options require. So may the
  // first Read, if the system refuses only then. The default ignores
  // use_mmap_reads, does not support use_direct_reads, and calls
  // NewRandomAccessFile. (Not an overload of that: overriding one would hide
  // the other.)
  virtual Status OpenRandomAccessFile(const std::string& path,
                                      const FileOptions& options,
                                      std::unique_ptr<RandomAccessFile>* file);
  // Creates or truncates the file.
  virtual Status NewWritableFile(const std::string& path,
                                 std::unique_ptr<WritableFile>* file) = 0;
  // Does the same, with options. All files that Tamis creates are created by
  // this function. It returns NotSupported, and creates nothing, if the file
  // cannot be written as the options require. The default does not support
  // use_direct_writes, ignores the hints, and calls NewWritableFile.
  virtual Status OpenWritableFile(const std::string& path,
                                  const FileOptions& options,
                                  std::unique_ptr<WritableFile>* file);

  // Returns OK, IsPathNotFound(), or the error that prevented the check.
  virtual Status FileExists(const std::string& path) = 0;
  // Sets *names to the names in the directory without "." and "..", in no
  // particular order.
  virtual Status GetChildren(const std::string& directory,
                             std::vector<std::string>* names) = 0;
  // Sets *size to the bytes of the file.
  virtual Status GetFileSize(const std::string& path, uint64_t* size) = 0;
  // Sets *seconds to when the contents of the file last changed, in seconds
  // since the epoch of Clock::NowMicros. DBOptions::WAL_ttl_seconds needs it.
  // Returns NotSupported if the file system keeps no such times.
  virtual Status GetFileModificationTime(const std::string& path,
                                         uint64_t* /*seconds*/) {
    return Status::NotSupported(path,
                                "this file system keeps no modification times");
  }
  // Sets *link to whether the path itself is a symbolic link, false if nothing
  // exists there. The default is for file systems without symbolic links.
  virtual Status IsSymbolicLink(const std::string& /*path*/, bool* link) {
    *link = false;
    return Status::OK();
  }
  // Sets *absolute to the path from the root of the file system. The default
  // knows no current directory, and returns NotSupported for a path that does
  // not begin with '/'.
  virtual Status GetAbsolutePath(const std::string& path,
                                 std::string* absolute) {
    if (!path.starts_with('/')) {
      return Status::NotSupported(path,
                                  "this file system has no current directory");
    }
    *absolute = path;
    return Status::OK();
  }
  // Deletes the file. Returns IsPathNotFound() if there is none.
  virtual Status RemoveFile(const std::string& path) = 0;
  // Sets *links to the number of names (hard links) of the file. Returns
  // NotSupported if this file system cannot tell.
  virtual Status NumFileLinks(const std::string& path, uint64_t* /*links*/) {
    return Status::NotSupported(path, "this file system counts no hard links");
  }
  // Cuts off the end of the file, so that `size` bytes remain. REQUIRES: the
  // file has as many. Returns NotSupported if this file system cannot do that.
  // SstFileManager deletes a large file in parts where both calls work.
  virtual Status Truncate(const std::string& path, uint64_t /*size*/) {
    return Status::NotSupported(path, "this file system cannot cut files");
  }
  // Renames a file. Atomically replaces `to` if it exists.
  virtual Status RenameFile(const std::string& from, const std::string& to) = 0;
  // Creates a hard link. Returns NotSupported if the file system has no hard
  // links, or cannot link across these directories.
  virtual Status LinkFile(const std::string& from, const std::string& to) {
    return Status::NotSupported(from + " -> " + to,
                                "this file system has no hard links");
  }
  // Waits until the device has stored the file's data. The file may have been
  // written by another process. REQUIRES: nothing writes to it. Returns
  // NotSupported if this file system can sync a file only through its
  // WritableFile. Tamis then copies a file that it would otherwise link.
  virtual Status SyncFile(const std::string& path) {
    return Status::NotSupported(path, "this file system cannot sync by name");
  }
  // Creates the directory, if there is none; its parent must exist.
  virtual Status CreateDirIfMissing(const std::string& path) = 0;
  // Creates the directory, in which processes that do not have the database's
  // lock may then create files: the workers of a CompactionService. The default
  // is for file systems where any process may do so anywhere.
  virtual Status CreateSharedDirectory(const std::string& path) {
    return CreateDirIfMissing(path);
  }
  // Removes a directory. REQUIRES: the directory is empty.
  virtual Status RemoveDir(const std::string& path) = 0;
  // Makes creations, renames and removals in the directory survive a power
  // failure.
  virtual Status SyncDirectory(const std::string& path) = 0;

  // Calls `changed` soon after a file of the directory was synced, by whatever
  // process, or after another change of it, until *watch is destroyed, which
  // waits for a call. Calls come from any thread, and there may be more than
  // changes. `changed` must neither throw nor wait. For followers, which
  // otherwise look from time to time. Returns NotSupported if this file system
  // cannot tell, as the default does.
  virtual Status WatchDirectory(
      const std::string& path,
      // NOLINTNEXTLINE(performance-unnecessary-value-param): overriders keep it
      std::function<void()> /*changed*/,
      std::unique_ptr<DirectoryWatch>* /*watch*/) {
    return Status::NotSupported(path, "this file system cannot watch");
  }

  // Sets *version to a text that is another one after a file of the directory
  // was created, renamed or removed, and costs less than GetChildren. It may
  // change at other times, too. Returns NotSupported if this file system has
  // none, as the default does: readers then list the directory at each look.
  virtual Status GetDirectoryVersion(const std::string& path,
                                     std::string* /*version*/) {
    return Status::NotSupported(path, "this file system counts no changes");
  }

  // Creates the file if missing and locks it exclusively, within this process
  // and across processes. Returns IOError if it is locked already.
  virtual Status LockFile(const std::string& path,
                          std::unique_ptr<FileLock>* lock) = 0;
  // Sets *locked to whether any process holds LockFile's lock, false if the
  // file is missing. Takes no lock and changes nothing. Returns NotSupported if
  // this file system cannot tell.
  virtual Status IsLocked(const std::string& path, bool* /*locked*/) {
    return Status::NotSupported(path, "this file system cannot test locks");
  }
};

// Returns the file system of the operating system.
TAMIS_EXPORT std::shared_ptr<FileSystem> NewPosixFileSystem();

// Returns a new, empty file system in memory, for tests and for databases that
// need not outlive the process. It ends with its last user: to open a database
// again, keep the file system. Every path begins at its root. It has hard links
// and locks, and no direct reads or writes. CreateDirIfMissing also creates the
// directories above.
TAMIS_EXPORT std::shared_ptr<FileSystem> NewMemFileSystem();

// Read and write a whole file, for small files such as CURRENT. If writing
// fails, the file is removed.
TAMIS_EXPORT Status ReadFileToString(FileSystem* fs, const std::string& path,
                                     std::string* contents);
TAMIS_EXPORT Status WriteStringToFile(FileSystem* fs, const Slice& contents,
                                      const std::string& path, bool sync);

}  // namespace tamis
