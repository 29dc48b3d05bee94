// SPDX-License-Identifier: Apache-2.0
#include "tools/tamis_rados/copy_commands.h"

#include <memory>
#include <string>

#include "tamis/file_system.h"

#include "rados/copy_tree.h"
#include "rados/rados_file_system.h"
#include "rados/volume_layout.h"
#include "tools/progress.h"
#include "tools/tamis_rados/flags.h"
#include "tools/tool_main.h"

namespace tamis {

namespace {

int Copy(FileSystem* from_fs, const std::string& from, FileSystem* to_fs,
         const std::string& to) {
  rados::CopyCounts counts;
  Progress progress("bytes", 0);
  const Status status = rados::CopyTree(from_fs, from, to_fs, to, &counts,
                                        [&](const rados::CopyCounts& now) {
                                          progress.Step(now.bytes, now.bytes);
                                        });
  if (!status.ok()) return Failed(status);
  Print("copied " + std::to_string(counts.files) + " files, " +
        std::to_string(counts.bytes) + " bytes\n");
  return kExitRight;
}

// Returns an error that names a file below the directory that is open.
Status CheckNoneIsOpen(rados::Volume* volume, const std::string& directory) {
  rados::NameMap names;
  Status status =
      volume->names()->FindBelow(rados::CleanPath(directory), &names);
  for (const auto& [path, entry] : names) {
    if (!status.ok() || !entry.is_open()) continue;
    status = Status::Busy(
        path,
        "it is being written; close the database, fence the volume, or "
        "copy a checkpoint");
  }
  return status;
}

}  // namespace

int CopyOut(const Call& call) {
  std::shared_ptr<rados::Volume> volume;
  Status status = OpenVolume(call.words[0], /*take_over=*/false, &volume);
  if (status.ok()) status = CheckNoneIsOpen(volume.get(), call.words[1]);
  if (!status.ok()) return Failed(status);
  rados::RadosFileSystem from(volume, /*flush_waits=*/false);
  const std::shared_ptr<FileSystem> to = NewPosixFileSystem();
  return Copy(&from, call.words[1], to.get(), call.words[2]);
}

int CopyIn(const Call& call) {
  std::shared_ptr<rados::Volume> volume;
  Status status = OpenVolume(call.words[1], /*take_over=*/false, &volume);
  if (status.ok()) status = volume->Lock("copy");
  if (!status.ok()) return Failed(status);
  const std::shared_ptr<FileSystem> from = NewPosixFileSystem();
  rados::RadosFileSystem to(volume, /*flush_waits=*/false);
  const int code = Copy(from.get(), call.words[0], &to, call.words[2]);
  volume->Unlock("copy");
  return code;
}

}  // namespace tamis
