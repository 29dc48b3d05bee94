// SPDX-License-Identifier: Apache-2.0
#include "tests/process/fork_kill/forking_victim.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "tests/process/child.h"
#include "util/base/random.h"

namespace tamis::process {

namespace {

constexpr uint64_t kOwnPuts = 30;
constexpr auto kPause = std::chrono::milliseconds(1);

// exit() destroys it, as it does a program's global database.
std::unique_ptr<kill::Victim> victim;
// As it was inherited, while it lives.
Iterator* inherited_iterator = nullptr;

// A process forked from the victim.
class ForkedChild {
 public:
  ForkedChild(const ForkingVictim& parent, size_t place, Random random,
              bool stays)
      : all_(*parent.children),
        place_(all_.places[place]),
        own_directory_(OwnDirectory(parent.own_parent, place)),
        random_(random),
        stays_(stays) {}

  [[noreturn]] void Run(bool opened) {
    if (!opened) {
      Stay(ChildPlace::State::kMayHold, [] {});
      ::_exit(0);
    }
    switch (random_.Uniform(5)) {
      case 0:
        if (random_.OneIn(2)) victim.reset();
        Stay(ChildPlace::State::kHolds, [] {});
        break;
      case 1:
        Execute();
      case 2:
        CallIntoInherited();
        Stay(ChildPlace::State::kHolds, [&] { CallIntoInherited(); });
        break;
      case 3:
        LiveWithOneOfItsOwn();
        break;
      default:
        Stay(ChildPlace::State::kHolds, [] {});
    }
    if (random_.OneIn(2)) std::exit(0);
    ::_exit(0);
  }

 private:
  template <typename Work>
  void Stay(ChildPlace::State state, const Work& work) {
    if (!stays_) return;
    place_.state = state;
    while (!place_.told_to_end) {
      work();
      std::this_thread::sleep_for(kPause);
    }
  }

  [[noreturn]] void Execute() {
    if (stays_) {
      place_.state = ChildPlace::State::kExecutes;
      // The parent, if it sets told_to_end later, sees the state and kills the
      // program.
      if (place_.told_to_end) ::_exit(0);
      ::execl("/bin/sleep", "sleep", "600", nullptr);
    } else {
      ::execl("/bin/true", "true", nullptr);
    }
    Require(false, "exec failed");
    std::abort();
  }

  void ExpectRefused(const Status& status) {
    Require(
        status.IsNotSupported() &&
            status.message().find("belongs to process") != std::string::npos,
        status.ToString());
    ++all_.refused_calls;
  }

  void CallIntoInherited() {
    DB* const db = victim->db();
    std::string value;
    ExpectRefused(db->Put({}, "thread0/key100", "of a child"));
    ExpectRefused(db->Get({}, "thread0/key100", &value));
    ExpectRefused(db->DeleteRange({}, "a", "z"));
    ExpectRefused(db->Flush({}));
    ExpectRefused(db->CompactRange({}, nullptr, nullptr));
    ExpectRefused(db->SyncWAL());
    const std::unique_ptr<Iterator> fresh(db->NewIterator({}));
    ExpectRefused(fresh->status());
    inherited_iterator->SeekToFirst();
    ExpectRefused(inherited_iterator->status());
    if (random_.OneIn(4)) ExpectRefused(db->Close());
  }

  void LiveWithOneOfItsOwn() {
    Options options;
    options.create_if_missing = true;
    options.write_buffer_size = 64 << 10;
    Status status = DestroyDB(own_directory_, options);
    Require(status.ok(), "destroy: " + status.ToString());
    std::unique_ptr<DB> db;
    status = DB::Open(options, own_directory_, &db);
    Require(status.ok(), "open: " + status.ToString());
    const auto put = [&] {
      const Status written =
          db->Put({}, OwnKey(place_.own_puts), std::string(200, 'o'));
      Require(written.ok(), "put: " + written.ToString());
      ++place_.own_puts;
    };
    for (uint64_t i = 0; i < kOwnPuts; ++i) put();
    Stay(ChildPlace::State::kHolds, put);
    switch (random_.Uniform(3)) {
      case 0:
        Require(db->Close().ok(), "close");
        break;
      case 1:
        db.reset();
        break;
      default:
        // Left to exit(), or to nobody.
        static std::unique_ptr<DB> at_exit;
        at_exit = std::move(db);
    }
  }

  Children& all_;
  ChildPlace& place_;
  const std::string own_directory_;
  Random random_;
  const bool stays_;
};

}  // namespace

std::string OwnDirectory(const std::string& parent, size_t place) {
  return parent + "/own" + std::to_string(place);
}

std::string OwnKey(uint64_t i) { return "own" + std::to_string(i); }

void ForkingVictim::ForkInto(size_t place, uint64_t seed, bool stays,
                             bool opened) {
  ChildPlace& at = children->places[place];
  at.told_to_end = false;
  at.own_puts = 0;
  at.state = ChildPlace::State::kStarting;
  ++children->forked;
  const pid_t pid = ::fork();
  Require(pid >= 0, "fork failed");
  if (pid == 0) {
    at.pid = ::getpid();
    ForkedChild(*this, place, Random(seed), stays).Run(opened);
  }
  at.pid = pid;
}

void ForkingVictim::Visit(size_t place, uint64_t seed) {
  Random random(seed);
  ChildPlace& at = children->places[place];
  if (at.state == ChildPlace::State::kNone) {
    ForkInto(place, random.Next(), /*stays=*/random.OneIn(2), /*opened=*/true);
    return;
  }
  int status = 0;
  if (::waitpid(at.pid, &status, WNOHANG) == at.pid) {
    const int code = ExitCode(status);
    Require(code == 0 || (code == 128 + SIGKILL && at.told_to_end),
            "a child ended with " + std::to_string(code));
    at.state = ChildPlace::State::kNone;
  } else if (at.stays() && random.OneIn(2)) {
    at.told_to_end = true;
    // An executed program does not hear it; others may be killed, too.
    if (at.state == ChildPlace::State::kExecutes || random.OneIn(3)) {
      ::kill(at.pid, SIGKILL);
    }
  }
}

void ForkingVictim::Run() {
  Random random(round.seed * 31 + static_cast<uint64_t>(round.number));
  victim = std::make_unique<kill::Victim>(round, models, state);
  if (during_open) {
    std::thread opener([] { victim->Start(); });
    std::this_thread::sleep_for(
        std::chrono::microseconds(random.Uniform(5000)));
    ForkInto(0, random.Next(), /*stays=*/true, /*opened=*/false);
    opener.join();
  } else {
    victim->Start();
  }
  inherited_iterator = victim->db()->NewIterator({});
  while (true) {
    std::this_thread::sleep_for(
        std::chrono::microseconds(random.Uniform(1500)));
    if (children->places[0].state == ChildPlace::State::kNone) {
      ForkInto(0, random.Next(), /*stays=*/true, /*opened=*/true);
    } else {
      Visit(1 + random.Uniform(kPlaces - 1), random.Next());
    }
  }
}

}  // namespace tamis::process
