// SPDX-License-Identifier: Apache-2.0
//
// What SimulatedFileSystem adds to a FileSystem: power cuts and faults.
#include "tests/support/simulated_file_system.h"

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/locked.h"
#include "util/base/result.h"

namespace tamis {
namespace {

constexpr uint64_t kSeeds = 200;

// A new machine on which `history` ran before the power was cut.
class Machine {
 public:
  template <typename History>
  Machine(uint64_t seed, History history,
          CrashStyle style = CrashStyle::kMixed) {
    EXPECT_TRUE(fs->CreateDirIfMissing("/d").ok());
    EXPECT_TRUE(fs->SyncDirectory("/d").ok());
    history(this);
    fs->CutPower();
    fs->Restart(seed, style);
  }

  std::unique_ptr<WritableFile> Open(const std::string& path) {
    std::unique_ptr<WritableFile> file;
    EXPECT_TRUE(fs->NewWritableFile(path, &file).ok());
    return file;
  }
  void Write(const std::string& path, const std::string& contents) {
    const Status status =
        WriteStringToFile(fs.get(), contents, path, /*sync=*/true);
    EXPECT_TRUE(status.ok()) << status;
  }
  void SyncDirectory() { EXPECT_TRUE(fs->SyncDirectory("/d").ok()); }
  void Rename(const std::string& from, const std::string& to) {
    EXPECT_TRUE(fs->RenameFile(from, to).ok());
  }
  std::string Read(const std::string& path) {
    std::string contents;
    const Status status = fs->GetContents(path, &contents);
    return status.ok() ? contents : "(none)";
  }

  std::shared_ptr<SimulatedFileSystem> fs = NewSimulatedFileSystem();
};

// What the files may hold after the cut, over many seeds: all of it, and
// nothing else.
using Outcomes = std::set<std::vector<std::string>>;

template <typename History>
Outcomes OutcomesOf(const std::vector<std::string>& paths, History history,
                    CrashStyle style = CrashStyle::kMixed) {
  Outcomes outcomes;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    Machine machine(seed, history, style);
    std::vector<std::string> outcome;
    for (const std::string& path : paths) {
      outcome.push_back(machine.Read(path));
    }
    outcomes.insert(outcome);
  }
  return outcomes;
}

TEST(SimulatedFileSystemTest, SyncedBytesSurviveWithAPrefixOfTheRest) {
  const auto history = [](Machine* m) {
    const auto file = m->Open("/d/f");
    EXPECT_TRUE(file->Append("ab").ok());
    EXPECT_TRUE(file->Sync().ok());
    m->SyncDirectory();
    EXPECT_TRUE(file->Append("cd").ok());
    EXPECT_TRUE(file->Flush().ok());
    EXPECT_TRUE(file->Append("e").ok());
  };
  EXPECT_EQ(OutcomesOf({"/d/f"}, history, CrashStyle::kPrefix),
            (Outcomes{{"ab"}, {"abc"}, {"abcd"}, {"abcde"}}));
}

// A file of which "ab" is synced and "cd" is not, and another whose entry is
// not synced.
void HalfSynced(Machine* m) {
  const auto file = m->Open("/d/f");
  EXPECT_TRUE(file->Append("ab").ok());
  EXPECT_TRUE(file->Sync().ok());
  m->SyncDirectory();
  EXPECT_TRUE(file->Append("cd").ok());
  m->Write("/d/g", "x");
}

TEST(SimulatedFileSystemTest, CrashStylesDetermineWhatSurvives) {
  const std::vector<std::string> paths = {"/d/f", "/d/g"};
  EXPECT_EQ(OutcomesOf(paths, HalfSynced, CrashStyle::kDropAll),
            (Outcomes{{"ab", "(none)"}}));
  EXPECT_EQ(OutcomesOf(paths, HalfSynced, CrashStyle::kKeepAll),
            (Outcomes{{"abcd", "x"}}));
  EXPECT_EQ(OutcomesOf({"/d/f"}, HalfSynced, CrashStyle::kPrefix),
            (Outcomes{{"ab"}, {"abc"}, {"abcd"}}));
}

// A sector may be there, missing, or torn, whatever befell those before it.
TEST(SimulatedFileSystemTest, SectorsSurviveIndependently) {
  const std::string synced(kSectorBytes + 100, 's');
  const std::string rest(3 * kSectorBytes, 'u');
  std::set<std::string> shapes;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    Machine machine(
        seed,
        [&](Machine* m) {
          const auto file = m->Open("/d/f");
          EXPECT_TRUE(file->Append(synced).ok());
          EXPECT_TRUE(file->Sync().ok());
          m->SyncDirectory();
          EXPECT_TRUE(file->Append(rest).ok());
        },
        CrashStyle::kSectors);
    const std::string left = machine.Read("/d/f");
    ASSERT_EQ(left.substr(0, synced.size()), synced);
    ASSERT_LE(left.size(), synced.size() + rest.size());
    std::string shape;
    for (size_t at = synced.size(); at < left.size();) {
      const size_t end =
          std::min(left.size(), (at / kSectorBytes + 1) * kSectorBytes);
      const std::string sector = left.substr(at, end - at);
      const size_t kept = std::min(sector.find('\0'), sector.size());
      ASSERT_EQ(sector, std::string(kept, 'u') +
                            std::string(sector.size() - kept, '\0'));
      shape += kept == 0 ? '-' : kept == sector.size() ? 'x' : 't';
      at = end;
    }
    shapes.insert(shape);
  }
  for (const char* shape : {"", "xxxx", "-x-x", "x--x", "--", "xxtx"}) {
    EXPECT_TRUE(shapes.contains(shape)) << shape;
  }
}

TEST(SimulatedFileSystemTest, ASyncAfterAFailedSyncSavesNothing) {
  const auto sync_twice = [](Machine* m) {
    const auto file = m->Open("/d/f");
    m->SyncDirectory();
    EXPECT_TRUE(file->Append("ab").ok());
    m->fs->SetFaultHook([](const SimulatedFileSystem::Call& call) {
      return Status::IOError(call.path, "hook");
    });
    EXPECT_TRUE(file->Sync().IsIOError());
    m->fs->SetFaultHook(nullptr);
    EXPECT_TRUE(file->Sync().ok());
  };
  EXPECT_EQ(OutcomesOf({"/d/f"}, sync_twice, CrashStyle::kDropAll),
            (Outcomes{{""}}));
}

TEST(SimulatedFileSystemTest, ALinkIsASeparateEntry) {
  const auto link = [](Machine* m) {
    m->Write("/d/f", "x");
    m->SyncDirectory();
    EXPECT_TRUE(m->fs->LinkFile("/d/f", "/d/g").ok());
  };
  EXPECT_EQ(OutcomesOf({"/d/f", "/d/g"}, link),
            (Outcomes{{"x", "(none)"}, {"x", "x"}}));
  EXPECT_EQ(OutcomesOf({"/d/f", "/d/g"},
                       [&](Machine* m) {
                         link(m);
                         m->SyncDirectory();
                         EXPECT_TRUE(m->fs->RemoveFile("/d/f").ok());
                       }),
            (Outcomes{{"(none)", "x"}, {"x", "x"}}));
}

TEST(SimulatedFileSystemTest, AFileOfTwoNamesSurvivesAsOne) {
  const Outcomes outcomes = OutcomesOf({"/d/f", "/d/g"}, [](Machine* m) {
    const auto file = m->Open("/d/f");
    EXPECT_TRUE(m->fs->LinkFile("/d/f", "/d/g").ok());
    m->SyncDirectory();
    EXPECT_TRUE(file->Append("ab").ok());
  });
  for (const auto& outcome : outcomes) EXPECT_EQ(outcome[0], outcome[1]);
  EXPECT_TRUE(outcomes.contains({"a", "a"}));
}

TEST(SimulatedFileSystemTest, AFileIsSyncedByAnyOfItsNames) {
  const auto link = [](Machine* m) {
    const auto file = m->Open("/d/f");
    EXPECT_TRUE(file->Append("ab").ok());
    EXPECT_TRUE(m->fs->LinkFile("/d/f", "/d/g").ok());
    m->SyncDirectory();
  };
  EXPECT_TRUE(OutcomesOf({"/d/f"}, link).contains({""}));
  EXPECT_EQ(OutcomesOf({"/d/f"},
                       [&](Machine* m) {
                         link(m);
                         EXPECT_TRUE(m->fs->SyncFile("/d/g").ok());
                       }),
            (Outcomes{{"ab"}}));
}

TEST(SimulatedFileSystemTest, AnEntryIsSafeOnlyOnceItsDirectoryWasSynced) {
  const auto create = [](Machine* m) { m->Write("/d/f", "x"); };
  EXPECT_EQ(OutcomesOf({"/d/f"}, create), (Outcomes{{"x"}, {"(none)"}}));
  EXPECT_EQ(OutcomesOf({"/d/f"},
                       [&](Machine* m) {
                         create(m);
                         m->SyncDirectory();
                       }),
            (Outcomes{{"x"}}));
  EXPECT_EQ(OutcomesOf({"/d/f"},
                       [&](Machine* m) {
                         create(m);
                         m->SyncDirectory();
                         EXPECT_TRUE(m->fs->RemoveFile("/d/f").ok());
                       }),
            (Outcomes{{"x"}, {"(none)"}}));
}

TEST(SimulatedFileSystemTest, ARenameSurvivesAtBothNamesOrAtNeither) {
  EXPECT_EQ(OutcomesOf({"/d/tmp", "/d/CURRENT"},
                       [](Machine* m) {
                         m->Write("/d/CURRENT", "old");
                         m->SyncDirectory();
                         m->Write("/d/tmp", "new");
                         m->Rename("/d/tmp", "/d/CURRENT");
                       }),
            (Outcomes{{"(none)", "old"}, {"new", "old"}, {"(none)", "new"}}));
}

TEST(SimulatedFileSystemTest, OperationsOnOneNameSurviveInOrder) {
  EXPECT_EQ(
      OutcomesOf({"/d/f", "/d/g"},
                 [](Machine* m) {
                   m->Write("/d/f", "1");
                   m->Rename("/d/f", "/d/g");
                   m->Write("/d/f", "2");
                 }),
      (Outcomes{
          {"(none)", "(none)"}, {"1", "(none)"}, {"(none)", "1"}, {"2", "1"}}));
}

TEST(SimulatedFileSystemTest, SyncingOneDirectoryCompletesARenameFromAnother) {
  EXPECT_EQ(OutcomesOf({"/d/f", "/e/f"},
                       [](Machine* m) {
                         EXPECT_TRUE(m->fs->CreateDirIfMissing("/e").ok());
                         m->Write("/d/f", "x");
                         m->Rename("/d/f", "/e/f");
                         EXPECT_TRUE(m->fs->SyncDirectory("/e").ok());
                       }),
            (Outcomes{{"(none)", "x"}}));
}

TEST(SimulatedFileSystemTest, EmptyingAFileIsUnsafeUntilTheNextSync) {
  const auto empty = [](Machine* m) {
    m->Write("/d/f", "old");
    m->SyncDirectory();
    return m->Open("/d/f");
  };
  EXPECT_EQ(OutcomesOf({"/d/f"}, [&](Machine* m) { empty(m); }),
            (Outcomes{{"old"}, {""}}));
  EXPECT_EQ(OutcomesOf({"/d/f"},
                       [&](Machine* m) { EXPECT_TRUE(empty(m)->Sync().ok()); }),
            (Outcomes{{""}}));
}

TEST(SimulatedFileSystemTest, TheSeedDeterminesWhatSurvives) {
  const auto outcome = [](uint64_t seed) {
    Machine machine(seed, [](Machine* m) {
      for (char c = 'a'; c < 'k'; ++c) {
        EXPECT_TRUE(m->Open(std::string("/d/") + c)->Append("contents").ok());
      }
    });
    std::string all;
    for (char c = 'a'; c < 'k'; ++c) {
      all += machine.Read(std::string("/d/") + c) + "|";
    }
    return all;
  };
  std::set<std::string> distinct;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    EXPECT_EQ(outcome(seed), outcome(seed));
    distinct.insert(outcome(seed));
  }
  EXPECT_GT(distinct.size(), 5u);
}

TEST(SimulatedFileSystemTest, WithoutPowerChangesFailAndReadsWork) {
  const auto fs = NewSimulatedFileSystem();
  ASSERT_TRUE(fs->CreateDirIfMissing("/d").ok());
  std::unique_ptr<WritableFile> file;
  ASSERT_TRUE(fs->NewWritableFile("/d/f", &file).ok());
  ASSERT_TRUE(file->Append("bytes").ok());
  fs->CutPower();
  const uint64_t calls = fs->calls();
  std::unique_ptr<WritableFile> other;
  std::unique_ptr<FileLock> lock;
  const Status statuses[] = {
      file->Append("more"),
      file->Flush(),
      file->Sync(),
      file->Close(),
      fs->NewWritableFile("/d/g", &other),
      fs->RemoveFile("/d/f"),
      fs->RenameFile("/d/f", "/d/g"),
      fs->LinkFile("/d/f", "/d/g"),
      fs->Truncate("/d/f", 0),
      fs->SyncFile("/d/f"),
      fs->CreateDirIfMissing("/e"),
      fs->RemoveDir("/d"),
      fs->SyncDirectory("/d"),
      fs->LockFile("/d/LOCK", &lock),
  };
  for (const Status& status : statuses) {
    EXPECT_TRUE(status.IsIOError()) << status;
    EXPECT_NE(status.message().find("power is cut"), std::string::npos);
  }
  EXPECT_EQ(fs->calls(), calls);
  std::string contents;
  EXPECT_TRUE(ReadFileToString(fs.get(), "/d/f", &contents).ok());
  EXPECT_EQ(contents, "bytes");
}

TEST(SimulatedFileSystemTest, RestartReleasesLocksAndInvalidatesOldHandles) {
  const auto fs = NewSimulatedFileSystem();
  ASSERT_TRUE(fs->CreateDirIfMissing("/d").ok());
  std::unique_ptr<FileLock> before;
  ASSERT_TRUE(fs->LockFile("/d/LOCK", &before).ok());
  std::unique_ptr<WritableFile> file;
  ASSERT_TRUE(fs->NewWritableFile("/d/f", &file).ok());
  ASSERT_TRUE(fs->SyncDirectory("/d").ok());
  fs->CutPower();
  fs->Restart(1);
  std::unique_ptr<FileLock> after;
  EXPECT_TRUE(fs->LockFile("/d/LOCK", &after).ok());
  before.reset();
  std::unique_ptr<FileLock> third;
  EXPECT_TRUE(SaysLocked(fs->LockFile("/d/LOCK", &third)));
  EXPECT_TRUE(file->Append("from the past").ok());
  std::string contents;
  ASSERT_TRUE(fs->GetContents("/d/f", &contents).ok());
  EXPECT_EQ(contents, "");
}

TEST(SimulatedFileSystemTest, TheHookSeesEveryChangeAndMayRefuseIt) {
  const auto fs = NewSimulatedFileSystem();
  std::vector<std::string> seen;
  std::string refused;
  fs->SetFaultHook([&](const SimulatedFileSystem::Call& call) {
    EXPECT_EQ(call.number, seen.size() + 1);
    seen.push_back(call.operation + " " + call.path);
    return call.operation == refused ? Status::NoSpace(call.path, "hook")
                                     : Status::OK();
  });
  std::unique_ptr<WritableFile> file;
  std::string contents;
  ASSERT_TRUE(fs->CreateDirIfMissing("/d").ok());
  ASSERT_TRUE(fs->NewWritableFile("/d/f", &file).ok());
  ASSERT_TRUE(file->Append("kept").ok());
  refused = "append";
  EXPECT_TRUE(file->Append("lost").IsNoSpace());
  EXPECT_EQ(file->GetFileSize(), 4u);
  refused = "rename";
  EXPECT_TRUE(fs->RenameFile("/d/f", "/d/g").IsNoSpace());
  ASSERT_TRUE(fs->GetContents("/d/f", &contents).ok());
  EXPECT_EQ(contents, "kept");
  EXPECT_TRUE(file->Sync().ok());
  EXPECT_TRUE(fs->SyncDirectory("/d").ok());
  EXPECT_EQ(seen,
            (std::vector<std::string>{
                "create_dir /d", "create /d/f", "append /d/f", "append /d/f",
                "rename /d/f", "sync /d/f", "sync_dir /d"}));
  EXPECT_EQ(fs->calls(), seen.size());
}

TEST(SimulatedFileSystemTest, AnAppendMayFailHalfway) {
  const auto fs = NewSimulatedFileSystem();
  std::unique_ptr<WritableFile> file;
  ASSERT_TRUE(fs->NewWritableFile("f", &file).ok());
  ASSERT_TRUE(file->Append("ab").ok());
  fs->SetFaultHook([](const SimulatedFileSystem::Call& call) {
    return SimulatedFileSystem::Fault(Status::NoSpace(call.path, "hook"),
                                      call.bytes / 2);
  });
  EXPECT_TRUE(file->Append("cdefg").IsNoSpace());
  EXPECT_EQ(file->GetFileSize(), 2u);
  std::string contents;
  ASSERT_TRUE(fs->GetContents("f", &contents).ok());
  EXPECT_EQ(contents, "abcd");
}

TEST(SimulatedFileSystemTest, ReadsHaveTheirOwnHook) {
  const auto fs = NewSimulatedFileSystem();
  ASSERT_TRUE(WriteStringToFile(fs.get(), "contents", "f", false).ok());
  std::unique_ptr<RandomAccessFile> file;
  ASSERT_TRUE(fs->NewRandomAccessFile("f", &file).ok());
  std::vector<std::string> seen;
  fs->SetReadHook([&](const SimulatedFileSystem::Call& call) {
    seen.push_back(call.operation + " " + call.path);
    return Status::IOError(call.path, "hook");
  });
  char scratch[16];
  Slice result;
  std::vector<std::string> names;
  uint64_t size = 0;
  std::unique_ptr<SequentialFile> sequential;
  const uint64_t calls = fs->calls();
  EXPECT_TRUE(file->Read(0, 4, &result, scratch).IsIOError());
  EXPECT_TRUE(fs->NewSequentialFile("f", &sequential).IsIOError());
  EXPECT_TRUE(fs->GetChildren("", &names).IsIOError());
  EXPECT_TRUE(fs->GetFileSize("f", &size).IsIOError());
  EXPECT_TRUE(fs->FileExists("f").IsIOError());
  EXPECT_EQ(seen, (std::vector<std::string>{"read f", "open f", "list ",
                                            "size f", "exists f"}));
  EXPECT_EQ(fs->calls(), calls);
  fs->SetReadHook(nullptr);
  EXPECT_TRUE(file->Read(0, 4, &result, scratch).ok());
}

TEST(SimulatedFileSystemTest, TheHookMayCutThePower) {
  const auto fs = NewSimulatedFileSystem();
  fs->SetFaultHook([&](const SimulatedFileSystem::Call& call) {
    if (call.number == 2) fs->CutPower();
    return Status::OK();
  });
  EXPECT_TRUE(fs->CreateDirIfMissing("/d").ok());
  EXPECT_TRUE(fs->CreateDirIfMissing("/e").IsIOError());
  fs->SetFaultHook(nullptr);
  EXPECT_TRUE(fs->FileExists("/e").IsPathNotFound());
}

TEST(SimulatedFileSystemTest, SetContentsReplacesTheBytesOfOpenReaders) {
  const auto fs = NewSimulatedFileSystem();
  ASSERT_TRUE(WriteStringToFile(fs.get(), "old", "f", false).ok());
  std::unique_ptr<RandomAccessFile> file;
  ASSERT_TRUE(fs->NewRandomAccessFile("f", &file).ok());
  ASSERT_TRUE(fs->SetContents("f", "damaged").ok());
  char scratch[16];
  Slice result;
  ASSERT_TRUE(file->Read(0, sizeof(scratch), &result, scratch).ok());
  EXPECT_EQ(result, Slice("damaged"));
  EXPECT_TRUE(fs->SetContents("missing", "").IsPathNotFound());
}

}  // namespace
}  // namespace tamis
