// SPDX-License-Identifier: Apache-2.0
//
// Copies out of a mapping whose file is truncated fail, and nothing else does.
// A SIGBUS that is not of a copy has the effect that it had before.
#include "util/io/mapped_file.h"

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/sanitizers.h"

namespace tamis {
namespace {

// A file without a name.
class NamelessFile {
 public:
  explicit NamelessFile(const std::string& bytes) : file_(std::tmpfile()) {
    Restore(bytes);
  }
  ~NamelessFile() { std::fclose(file_); }
  NamelessFile(const NamelessFile&) = delete;
  NamelessFile& operator=(const NamelessFile&) = delete;

  int fd() const { return ::fileno(file_); }
  void Truncate(size_t bytes) const {
    if (::ftruncate(fd(), static_cast<off_t>(bytes)) != 0) std::abort();
  }
  void Restore(const std::string& bytes) const {
    if (::pwrite(fd(), bytes.data(), bytes.size(), 0) !=
        static_cast<ssize_t>(bytes.size())) {
      std::abort();
    }
  }

 private:
  std::FILE* const file_;
};

size_t PageBytes() { return static_cast<size_t>(::sysconf(_SC_PAGESIZE)); }

// No byte is zero.
std::string Pages(size_t n) {
  std::string bytes(n * PageBytes(), '\0');
  for (size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<char>(1 + i % 251);
  }
  return bytes;
}

// Returns the bytes, or "failed".
std::string Copied(const MappedFile& file, size_t offset, size_t n) {
  std::string out(n, '\0');
  return file.Copy(offset, n, out.data()) ? out : "failed";
}

TEST(MappedFileTest, CopiesTheBytesOfTheFile) {
  const std::string bytes = Pages(3) + "end";
  const NamelessFile file(bytes);
  MappedFile mapped;
  ASSERT_TRUE(mapped.Map(file.fd(), bytes.size()));
  EXPECT_EQ(mapped.size(), bytes.size());
  for (const size_t offset : {size_t{0}, size_t{7}, PageBytes() - 1}) {
    for (const size_t n : {size_t{0}, size_t{1}, size_t{3000}, PageBytes()}) {
      EXPECT_EQ(Copied(mapped, offset, n), bytes.substr(offset, n));
    }
  }
  EXPECT_EQ(Copied(mapped, 0, bytes.size()), bytes);
  EXPECT_EQ(Copied(mapped, bytes.size(), 0), "");
  EXPECT_FALSE(mapped.failed());
}

TEST(MappedFileTest, CopyOfATruncatedPageFailsAndSoDoAllLater) {
  const std::string bytes = Pages(4);
  const NamelessFile file(bytes);
  const NamelessFile other(bytes);
  MappedFile mapped;
  MappedFile mapped_other;
  MappedFile mapped_again;
  ASSERT_TRUE(mapped.Map(file.fd(), bytes.size()));
  ASSERT_TRUE(mapped_other.Map(other.fd(), bytes.size()));
  ASSERT_TRUE(mapped_again.Map(file.fd(), bytes.size()));
  file.Truncate(PageBytes());
  EXPECT_EQ(Copied(mapped, 10, 100), bytes.substr(10, 100));
  EXPECT_FALSE(mapped.failed());
  EXPECT_EQ(Copied(mapped, PageBytes() - 10, 100), "failed");
  EXPECT_TRUE(mapped.failed());
  // Zeros replaced this page, too.
  EXPECT_EQ(Copied(mapped, 10, 100), "failed");
  EXPECT_EQ(Copied(mapped_other, PageBytes(), 100),
            bytes.substr(PageBytes(), 100));
  // Each mapping meets the failure by itself, once.
  EXPECT_EQ(Copied(mapped_again, 10, 100), bytes.substr(10, 100));
  EXPECT_EQ(Copied(mapped_again, 3 * PageBytes(), 100), "failed");
}

TEST(MappedFileTest, FileThatCannotBeMappedIsRefused) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  MappedFile mapped;
  EXPECT_FALSE(mapped.Map(ends[0], 100));
  ::close(ends[0]);
  ::close(ends[1]);
  EXPECT_FALSE(mapped.Map(-1, 100));
}

// No thread takes the zeros for the file's bytes.
TEST(MappedFileTest, ThreadsThatCopyMeanwhileFailOrSeeTheFile) {
  constexpr size_t kPages = 64;
  const std::string bytes = Pages(kPages);
  for (int round = 0; round < 20; ++round) {
    const NamelessFile file(bytes);
    MappedFile mapped;
    ASSERT_TRUE(mapped.Map(file.fd(), bytes.size()));
    std::atomic<int> wrong{0};
    std::atomic<int> copied{0};
    std::atomic<bool> truncated{false};
    std::vector<std::thread> threads;
    for (size_t t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        std::string out(3000, '\0');
        // Half of the copies that begin after the truncation fail.
        int later = 0;
        for (size_t i = t; !mapped.failed() && later < 10'000; ++i) {
          later += truncated;
          const size_t offset = i * 1999 % (bytes.size() - out.size());
          if (mapped.Copy(offset, out.size(), out.data()) &&
              bytes.compare(offset, out.size(), out) != 0) {
            ++wrong;
          }
          ++copied;
        }
      });
    }
    while (copied < 100) std::this_thread::yield();
    file.Truncate(PageBytes() * (kPages / 2));
    truncated = true;
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0);
    ASSERT_TRUE(mapped.failed());
  }
}

// There, a fault would end the process.
TEST(MappedFileTest, ThreadThatBlocksBusErrorsDoesNotCopy) {
  const std::string bytes = Pages(2);
  const NamelessFile file(bytes);
  MappedFile mapped;
  ASSERT_TRUE(mapped.Map(file.fd(), bytes.size()));
  std::thread([&] {
    sigset_t blocked;
    ::sigemptyset(&blocked);
    ::sigaddset(&blocked, SIGBUS);
    ::pthread_sigmask(SIG_BLOCK, &blocked, nullptr);
    for (int i = 0; i < 2; ++i) EXPECT_EQ(Copied(mapped, 0, 100), "failed");
    EXPECT_FALSE(mapped.failed());
    ::pthread_sigmask(SIG_UNBLOCK, &blocked, nullptr);
    EXPECT_EQ(Copied(mapped, 0, 100), bytes.substr(0, 100));
    ::pthread_sigmask(SIG_BLOCK, &blocked, nullptr);
    EXPECT_TRUE(mapped.CanCopy(/*checks_mask=*/false));
    EXPECT_FALSE(mapped.CanCopy(/*checks_mask=*/true));
    EXPECT_EQ(Copied(mapped, 0, 100), "failed");
  }).join();
  EXPECT_TRUE(mapped.CanCopy(/*checks_mask=*/true));
  EXPECT_EQ(Copied(mapped, 0, 100), bytes.substr(0, 100));
}

TEST(MappedFileTest, CopyFailsInAForkedProcessToo) {
  const std::string bytes = Pages(2);
  const NamelessFile file(bytes);
  MappedFile mapped;
  ASSERT_TRUE(mapped.Map(file.fd(), bytes.size()));
  file.Truncate(PageBytes());
  const pid_t child = ::fork();
  if (child == 0) {
    char out[10];
    const bool right = mapped.Copy(0, 10, out) &&
                       !mapped.Copy(PageBytes(), 10, out) && mapped.failed();
    ::_exit(right ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  // The child's mapping was replaced, not this one.
  EXPECT_EQ(Copied(mapped, 0, 10), bytes.substr(0, 10));
}

class ForeignBusErrorTest : public ::testing::Test {
 protected:
  // Runs the test again in a process whose SIGBUS nobody has handled yet.
  ForeignBusErrorTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }

  static void Act(void (*handler)(int)) { Act(handler, 0); }
  static void Act(void (*handler)(int), unsigned flags) {
    struct sigaction action = {};
    action.sa_handler = handler;
    action.sa_flags = static_cast<int>(flags);
    ::sigemptyset(&action.sa_mask);
    ::sigaddset(&action.sa_mask, SIGUSR1);
    ::sigaction(SIGBUS, &action, nullptr);
  }
  static void Act(void (*handler)(int, siginfo_t*, void*), unsigned flags) {
    struct sigaction action = {};
    action.sa_sigaction = handler;
    action.sa_flags = static_cast<int>(flags | SA_SIGINFO);
    ::sigemptyset(&action.sa_mask);
    ::sigaction(SIGBUS, &action, nullptr);
  }

  // Installs the handler, and lets it handle a fault.
  static void FailACopy() {
    const NamelessFile file(Pages(2));
    MappedFile mapped;
    if (!mapped.Map(file.fd(), 2 * PageBytes())) ::_exit(90);
    file.Truncate(0);
    char out[10];
    if (mapped.Copy(0, sizeof(out), out)) ::_exit(91);
  }
  // Reads a page behind the end of a file. Ends with 92 if the page can be
  // read.
  static void Fault() {
    const NamelessFile file(Pages(1));
    file.Truncate(0);
    foreign_ =
        ::mmap(nullptr, PageBytes(), PROT_READ, MAP_SHARED, file.fd(), 0);
    if (foreign_ == MAP_FAILED) ::_exit(93);
    static_cast<void>(*static_cast<volatile char*>(foreign_));
    ::_exit(92);
  }

  static bool IsBlocked(int signal) {
    sigset_t mask;
    ::pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    return ::sigismember(&mask, signal) == 1;
  }

  inline static void* foreign_ = nullptr;
};

TEST_F(ForeignBusErrorTest, EndsTheProcessByDefault) {
  EXPECT_EXIT(
      {
        Act(SIG_DFL);
        FailACopy();
        Fault();
      },
      ::testing::KilledBySignal(SIGBUS), "");
}

TEST_F(ForeignBusErrorTest, EndsTheProcessIfIgnored) {
  EXPECT_EXIT(
      {
        Act(SIG_IGN);
        FailACopy();
        Fault();
      },
      ::testing::KilledBySignal(SIGBUS), "");
}

TEST_F(ForeignBusErrorTest, IsPassedToAHandler) {
  EXPECT_EXIT(
      {
        Act([](int signal) {
          ::_exit(signal == SIGBUS && IsBlocked(SIGBUS) && IsBlocked(SIGUSR1)
                      ? 1
                      : 2);
        });
        FailACopy();
        Fault();
      },
      ::testing::ExitedWithCode(1), "");
}

TEST_F(ForeignBusErrorTest, IsPassedToAHandlerWithItsAddress) {
  EXPECT_EXIT(
      {
        Act(
            [](int, siginfo_t* info, void* context) {
              const bool right = info->si_addr == foreign_ &&
                                 info->si_code == BUS_ADRERR &&
                                 context != nullptr &&
                                 // ThreadSanitizer blocks all signals during
                                 // any handler.
                                 (kThreadSanitizer || !IsBlocked(SIGBUS));
              ::_exit(right ? 1 : 2);
            },
            SA_NODEFER);
        FailACopy();
        Fault();
      },
      ::testing::ExitedWithCode(1), "");
}

// A handler that is to run once does: the fault then ends the process.
TEST_F(ForeignBusErrorTest, IsPassedOnceToAHandlerThatIsReset) {
  EXPECT_EXIT(
      {
        Act([](int) { static_cast<void>(::write(2, "once.", 5)); },
            static_cast<unsigned>(SA_RESETHAND) | SA_NODEFER);
        FailACopy();
        Fault();
      },
      ::testing::KilledBySignal(SIGBUS), "^once\\.$");
}

TEST_F(ForeignBusErrorTest, HandlerMayMendThePageAndReturn) {
  EXPECT_EXIT(
      {
        Act(
            [](int, siginfo_t* info, void*) {
              ::mmap(info->si_addr, PageBytes(), PROT_READ,
                     MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            },
            0);
        FailACopy();
        Fault();
      },
      ::testing::ExitedWithCode(92), "");
}

TEST_F(ForeignBusErrorTest, HandlerThatWasInstalledLaterMayPassCopiesOn) {
  EXPECT_EXIT(
      {
        FailACopy();
        static struct sigaction before;
        ::sigaction(SIGBUS, nullptr, &before);
        Act(
            [](int signal, siginfo_t* info, void* context) {
              if (info->si_addr == foreign_) ::_exit(1);
              before.sa_sigaction(signal, info, context);
            },
            0);
        FailACopy();
        Fault();
      },
      ::testing::ExitedWithCode(1), "");
}

TEST_F(ForeignBusErrorTest, SentSignalHasTheEffectOfTheActionBefore) {
  EXPECT_EXIT(
      {
        Act(SIG_DFL);
        FailACopy();
        ::raise(SIGBUS);
        ::_exit(0);
      },
      ::testing::KilledBySignal(SIGBUS), "");
  EXPECT_EXIT(
      {
        Act(SIG_IGN);
        FailACopy();
        ::raise(SIGBUS);
        FailACopy();
        ::_exit(0);
      },
      ::testing::ExitedWithCode(0), "");
}

#if defined(__linux__)
// As if another thread had mended the page before the access was repeated.
TEST_F(ForeignBusErrorTest, HandlerIsInstalledAgainIfAFaultDoesNotRepeat) {
  EXPECT_EXIT(
      {
        Act(SIG_DFL);
        FailACopy();
        siginfo_t fault = {};
        fault.si_signo = SIGBUS;
        fault.si_code = BUS_ADRERR;
        if (::syscall(SYS_rt_tgsigqueueinfo, ::getpid(), ::gettid(), SIGBUS,
                      &fault) != 0) {
          ::_exit(94);
        }
        FailACopy();
        ::_exit(0);
      },
      ::testing::ExitedWithCode(0), "");
}

// A signal that is ignored interrupts no call.
TEST_F(ForeignBusErrorTest, IgnoredSignalRestartsACall) {
  EXPECT_EXIT(
      {
        Act(SIG_IGN);
        FailACopy();
        int ends[2];
        if (::pipe(ends) != 0) ::_exit(95);
        const pthread_t reader = ::pthread_self();
        std::thread([ends, reader] {
          for (int i = 0; i < 20; ++i) {
            ::usleep(1000);
            ::pthread_kill(reader, SIGBUS);
          }
          static_cast<void>(!::write(ends[1], "x", 1));
        }).detach();
        char byte;
        ::_exit(::read(ends[0], &byte, 1) == 1 ? 0 : 96);
      },
      ::testing::ExitedWithCode(0), "");
}
#endif

// A thread that never copied has no guard; its fault is none of a copy.
TEST_F(ForeignBusErrorTest, IsRecognizedInAThreadThatNeverCopied) {
  EXPECT_EXIT(
      {
        Act([](int) { ::_exit(1); });
        FailACopy();
        std::thread(Fault).join();
      },
      ::testing::ExitedWithCode(1), "");
}

}  // namespace
}  // namespace tamis
