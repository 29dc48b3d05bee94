// SPDX-License-Identifier: Apache-2.0
//
// A real file system of a few MiB that tests can fill: a tmpfs, mounted during
// the object's lifetime. Mounting usually requires root.
#pragma once

#include <cstdio>
#include <string>
#include <sys/mount.h>

#include <gtest/gtest.h>

#include "tests/support/directories.h"

namespace tamis {

class TmpfsDisk {
 public:
  explicit TmpfsDisk(int mebibytes) {
    EXPECT_EQ(RunCommand("mkdir " + path_).exit_code, 0);
#if defined(__linux__)
    const std::string size = "size=" + std::to_string(mebibytes) + "m";
    is_mounted_ =
        ::mount("tmpfs", path_.c_str(), "tmpfs", 0, size.c_str()) == 0;
#endif
    if (!is_mounted_) {
      std::fprintf(stderr, "*** no tmpfs of %d MiB can be mounted here ***\n",
                   mebibytes);
    }
  }
  // REQUIRES: no file on it is open.
  ~TmpfsDisk() {
#if defined(__linux__)
    if (is_mounted_) {
      EXPECT_EQ(::umount(path_.c_str()), 0);
    }
#endif
  }
  TmpfsDisk(const TmpfsDisk&) = delete;
  TmpfsDisk& operator=(const TmpfsDisk&) = delete;

  // False: path() is an ordinary directory.
  bool is_mounted() const { return is_mounted_; }
  const std::string& path() const { return path_; }

 private:
  const TemporaryDirectory parent_;
  const std::string path_ = parent_.Path("disk");
  bool is_mounted_ = false;
};

}  // namespace tamis
