// SPDX-License-Identifier: Apache-2.0
//
// NewMemFileSystem: directories and files in memory, which end with their last
// user. There is no device, so all that was appended is synced.
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tamis/file_system.h"

#include "util/base/mutex.h"
#include "util/base/result.h"
#include "util/io/mem_file.h"
#include "util/io/path_names.h"

namespace tamis {

namespace {

struct File {
  MemFile bytes;
  // Guarded by the mutex of the tree.
  uint64_t links = 0;
  bool is_locked = false;
};
using FilePtr = std::shared_ptr<File>;

// What has a name: a file or a directory.
struct Node {
  FilePtr file;  // nullptr: a directory
  std::map<std::string, Node> children;
  uint64_t changes = 0;  // of the children
};

Status NotThere(const std::string& path) {
  return Status::PathNotFound(path, "no such file or directory");
}

// All names. One thread at a time.
class Tree {
 public:
  // Returns nullptr if there is none.
  Node* Find(const std::string& path) { return Walk(PathNames(path)); }
  Result<Node*> FindDirectory(const std::string& path) {
    Node* const node = Find(path);
    if (node == nullptr) return NotThere(path);
    if (node->file != nullptr) return Status::IOError(path, "not a directory");
    return node;
  }
  Result<FilePtr> FindFile(const std::string& path) {
    const Node* const node = Find(path);
    if (node == nullptr) return NotThere(path);
    if (node->file == nullptr) return Status::IOError(path, "is a directory");
    return node->file;
  }
  Result<FilePtr> FindOrCreate(const std::string& path) {
    if (Find(path) != nullptr) return FindFile(path);
    auto file = std::make_shared<File>();
    TAMIS_RETURN_IF_ERROR(Add(path, file));
    return file;
  }

  // Gives the file one more name. REQUIRES: the path has none.
  Status Add(const std::string& path, const FilePtr& file) {
    std::string name;
    const Result<Node*> parent = ParentOf(path, &name);
    TAMIS_RETURN_IF_ERROR(parent.status());
    (*parent)->children[name].file = file;
    ++(*parent)->changes;
    ++file->links;
    return Status::OK();
  }
  Status CreateDirectory(const std::string& path) {
    Node* node = &root_;
    for (std::string& name : PathNames(path)) {
      if (node->file != nullptr) break;
      const auto [child, is_new] = node->children.try_emplace(std::move(name));
      if (is_new) ++node->changes;
      node = &child->second;
    }
    if (node->file == nullptr) return Status::OK();
    return Status::IOError(path, "create the directory: a file has the name");
  }
  // REQUIRES: there is something.
  void Remove(const std::string& path) {
    std::string name;
    Node* const parent = *ParentOf(path, &name);
    const auto child = parent->children.find(name);
    if (child->second.file != nullptr) --child->second.file->links;
    parent->children.erase(child);
    ++parent->changes;
  }
  Status Rename(const std::string& from, const std::string& to) {
    Node* const node = Find(from);
    if (node == nullptr) return NotThere(from);
    std::string name;
    const Result<Node*> parent = ParentOf(to, &name);
    TAMIS_RETURN_IF_ERROR(parent.status());
    if (IsInside(to, from)) {
      return Status::IOError(from, "rename to " + to + ": is inside it");
    }
    const Node* const replaced = Find(to);
    if (replaced == node) return Status::OK();
    if (replaced != nullptr) {
      if (replaced->file == nullptr || node->file == nullptr) {
        return Status::IOError(from, "rename to " + to + ": the name exists");
      }
      if (replaced->file == node->file) return Status::OK();
    }
    Node& target = (*parent)->children[name];
    if (target.file != nullptr) --target.file->links;
    target = std::exchange(*node, Node());
    ++(*parent)->changes;
    Remove(from);
    return Status::OK();
  }

 private:
  Node* Walk(const std::vector<std::string>& names) {
    Node* node = &root_;
    for (const std::string& name : names) {
      const auto child = node->children.find(name);
      if (child == node->children.end()) return nullptr;
      node = &child->second;
    }
    return node;
  }
  // The directory that has or will have the path, whose last name is set.
  Result<Node*> ParentOf(const std::string& path, std::string* name) {
    std::vector<std::string> names = PathNames(path);
    if (names.empty()) return Status::IOError(path, "is the root");
    *name = std::move(names.back());
    names.pop_back();
    Node* const parent = Walk(names);
    if (parent == nullptr || parent->file != nullptr) return NotThere(path);
    return parent;
  }
  static bool IsInside(const std::string& path, const std::string& directory) {
    const std::vector<std::string> names = PathNames(path);
    const std::vector<std::string> above = PathNames(directory);
    return names.size() > above.size() &&
           std::equal(above.begin(), above.end(), names.begin());
  }

  Node root_;
};

// Shared by the file system and its locks.
struct SharedTree {
  Mutex mutex;
  Tree tree GUARDED_BY(mutex);
};
using SharedTreePtr = std::shared_ptr<SharedTree>;

class MemRandomAccessFile final : public RandomAccessFile {
 public:
  explicit MemRandomAccessFile(FilePtr file) : file_(std::move(file)) {}
  Status Read(uint64_t offset, size_t n, Slice* result,
              char* scratch) const override {
    *result = Slice(scratch, file_->bytes.Read(offset, n, scratch));
    return Status::OK();
  }

 private:
  const FilePtr file_;
};

class MemSequentialFile final : public SequentialFile {
 public:
  explicit MemSequentialFile(FilePtr file) : file_(std::move(file)) {}
  Status Read(size_t n, Slice* result, char* scratch) override {
    *result = Slice(scratch, file_->bytes.Read(offset_, n, scratch));
    offset_ += result->size();
    return Status::OK();
  }
  Status Skip(uint64_t n) override { return Seek(offset_ + n); }
  Status Seek(uint64_t offset) override {
    offset_ = offset;
    return Status::OK();
  }

 private:
  const FilePtr file_;
  uint64_t offset_ = 0;
};

class MemWritableFile final : public WritableFile {
 public:
  explicit MemWritableFile(FilePtr file) : file_(std::move(file)) {}
  Status Append(const Slice& data) override {
    file_->bytes.Append(data);
    size_ += data.size();
    return Status::OK();
  }
  Status Flush() override { return Status::OK(); }
  Status Sync() override { return Status::OK(); }
  Status Close() override { return Status::OK(); }
  uint64_t GetFileSize() const override { return size_; }

 private:
  const FilePtr file_;
  uint64_t size_ = 0;
};

class MemFileLock final : public FileLock {
 public:
  MemFileLock(SharedTreePtr shared, FilePtr file)
      : shared_(std::move(shared)), file_(std::move(file)) {}
  ~MemFileLock() override {
    MutexLock lock(&shared_->mutex);
    file_->is_locked = false;
  }
  MemFileLock(const MemFileLock&) = delete;
  MemFileLock& operator=(const MemFileLock&) = delete;

 private:
  const SharedTreePtr shared_;
  const FilePtr file_;
};

class MemFileSystem final : public FileSystem {
 public:
  const char* Name() const override { return "MemFileSystem"; }

  Status NewSequentialFile(const std::string& path,
                           std::unique_ptr<SequentialFile>* file) override {
    return Open<MemSequentialFile>(path, file);
  }
  Status NewRandomAccessFile(const std::string& path,
                             std::unique_ptr<RandomAccessFile>* file) override {
    return Open<MemRandomAccessFile>(path, file);
  }
  Status NewWritableFile(const std::string& path,
                         std::unique_ptr<WritableFile>* file) override {
    file->reset();
    return In([&](Tree& tree) -> Status {
      const Result<FilePtr> found = tree.FindOrCreate(path);
      TAMIS_RETURN_IF_ERROR(found.status());
      (*found)->bytes.Truncate(0);
      *file = std::make_unique<MemWritableFile>(*found);
      return Status::OK();
    });
  }

  Status FileExists(const std::string& path) override {
    return In([&](Tree& tree) {
      return tree.Find(path) != nullptr ? Status::OK() : NotThere(path);
    });
  }
  Status GetChildren(const std::string& directory,
                     std::vector<std::string>* names) override {
    names->clear();
    return In([&](Tree& tree) -> Status {
      const Result<Node*> node = tree.FindDirectory(directory);
      TAMIS_RETURN_IF_ERROR(node.status());
      for (const auto& [name, child] : (*node)->children) {
        names->push_back(name);
      }
      return Status::OK();
    });
  }
  Status GetFileSize(const std::string& path, uint64_t* size) override {
    return WithFile(path, [&](const File& file) { *size = file.bytes.size(); });
  }
  Status GetFileModificationTime(const std::string& path,
                                 uint64_t* seconds) override {
    return WithFile(path, [&](const File& file) {
      *seconds = file.bytes.modified_at() / 1'000'000;
    });
  }
  // Every path begins at the root.
  Status GetAbsolutePath(const std::string& path,
                         std::string* absolute) override {
    absolute->clear();
    for (const std::string& name : PathNames(path)) *absolute += "/" + name;
    if (absolute->empty()) *absolute = "/";
    return Status::OK();
  }
  Status NumFileLinks(const std::string& path, uint64_t* links) override {
    return WithFile(path, [&](const File& file) { *links = file.links; });
  }

  Status RemoveFile(const std::string& path) override {
    return In([&](Tree& tree) -> Status {
      TAMIS_RETURN_IF_ERROR(tree.FindFile(path).status());
      tree.Remove(path);
      return Status::OK();
    });
  }
  Status Truncate(const std::string& path, uint64_t size) override {
    bool has_as_many = true;
    const Status found = WithFile(
        path, [&](File& file) { has_as_many = file.bytes.Truncate(size); });
    return has_as_many
               ? found
               : Status::InvalidArgument(path, "truncate: it is shorter");
  }
  Status RenameFile(const std::string& from, const std::string& to) override {
    return In([&](Tree& tree) { return tree.Rename(from, to); });
  }
  Status LinkFile(const std::string& from, const std::string& to) override {
    return In([&](Tree& tree) -> Status {
      const Result<FilePtr> file = tree.FindFile(from);
      TAMIS_RETURN_IF_ERROR(file.status());
      if (tree.Find(to) != nullptr) {
        return Status::IOError(from, "link to " + to + ": the name exists");
      }
      return tree.Add(to, *file);
    });
  }
  Status SyncFile(const std::string& path) override {
    return WithFile(path, [](const File&) {});
  }
  Status CreateDirIfMissing(const std::string& path) override {
    return In([&](Tree& tree) { return tree.CreateDirectory(path); });
  }
  Status RemoveDir(const std::string& path) override {
    return In([&](Tree& tree) -> Status {
      const Result<Node*> node = tree.FindDirectory(path);
      TAMIS_RETURN_IF_ERROR(node.status());
      if (!(*node)->children.empty()) {
        return Status::IOError(path, "remove the directory: it is not empty");
      }
      if (PathNames(path).empty()) return Status::IOError(path, "is the root");
      tree.Remove(path);
      return Status::OK();
    });
  }
  Status SyncDirectory(const std::string& path) override {
    return In([&](Tree& tree) { return tree.FindDirectory(path).status(); });
  }
  Status GetDirectoryVersion(const std::string& path,
                             std::string* version) override {
    return In([&](Tree& tree) -> Status {
      const Result<Node*> node = tree.FindDirectory(path);
      TAMIS_RETURN_IF_ERROR(node.status());
      *version = std::to_string((*node)->changes);
      return Status::OK();
    });
  }

  Status LockFile(const std::string& path,
                  std::unique_ptr<FileLock>* lock) override {
    lock->reset();
    return In([&](Tree& tree) -> Status {
      const Result<FilePtr> file = tree.FindOrCreate(path);
      TAMIS_RETURN_IF_ERROR(file.status());
      if ((*file)->is_locked) {
        return Status::IOError(path, "locked: already held");
      }
      *lock = std::make_unique<MemFileLock>(shared_, *file);
      (*file)->is_locked = true;
      return Status::OK();
    });
  }
  Status IsLocked(const std::string& path, bool* locked) override {
    *locked = false;
    return In([&](Tree& tree) {
      const Node* const node = tree.Find(path);
      *locked =
          node != nullptr && node->file != nullptr && node->file->is_locked;
      return Status::OK();
    });
  }

 private:
  template <typename Action>
  Status In(const Action& action) {
    MutexLock lock(&shared_->mutex);
    return action(shared_->tree);
  }
  template <typename Action>
  Status WithFile(const std::string& path, const Action& action) {
    return In([&](Tree& tree) -> Status {
      const Result<FilePtr> file = tree.FindFile(path);
      TAMIS_RETURN_IF_ERROR(file.status());
      action(**file);
      return Status::OK();
    });
  }
  template <typename Opened, typename Base>
  Status Open(const std::string& path, std::unique_ptr<Base>* opened) {
    opened->reset();
    return In([&](Tree& tree) -> Status {
      Result<FilePtr> file = tree.FindFile(path);
      TAMIS_RETURN_IF_ERROR(file.status());
      *opened = std::make_unique<Opened>(*std::move(file));
      return Status::OK();
    });
  }

  const SharedTreePtr shared_ = std::make_shared<SharedTree>();
};

}  // namespace

std::shared_ptr<FileSystem> NewMemFileSystem() {
  return std::make_shared<MemFileSystem>();
}

}  // namespace tamis
