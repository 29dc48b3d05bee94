// SPDX-License-Identifier: Apache-2.0
//
// A repair that a power failure or an error interrupts has the same result when
// it is repeated.
#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "tests/db/repair/repair_fixture.h"
#include "tests/support/effort.h"

namespace tamis {
namespace {

class RepairCrashTest : public RepairTest {
 public:
  using Damage = void (RepairCrashTest::*)();
  void None() {}
  void NoCurrent() { Remove("CURRENT"); }
  void NoManifest() { Remove(ManifestName()); }
  void HalfAManifest() {
    const std::string name = ManifestName();
    const std::string whole = ReadFile(name);
    WriteFile(name, whole.substr(0, whole.size() / 2));
  }
  void NothingButTables() {
    Remove(ManifestName());
    Remove("CURRENT");
  }

  // Fails, or cuts the power, at each `step`-th call.
  void CrashEverywhere(const Files& files, Damage damage, uint64_t step) {
    for (const bool cut : {false, true}) {
      uint64_t at = 1;
      for (bool reached = true; reached; at += step) {
        SCOPED_TRACE((cut ? "power cut at call " : "error at call ") +
                     std::to_string(at));
        Restore(files);
        (this->*damage)();
        before_ = Keepsakes();
        const uint64_t first = fs_->calls();
        reached = false;
        fs_->SetFaultHook([&](const SimulatedFileSystem::Call& call) {
          if (call.number - first != at) return Status::OK();
          reached = true;
          if (cut) fs_->CutPower();
          return Status::IOError("fault");
        });
        RepairDB(kDir, options_).PermitUncheckedError();
        fs_->SetFaultHook(nullptr);
        if (cut && reached) fs_->Restart(at);
        ExpectNothingVanished();
        Repair();
        ExpectAll();
        if (HasFatalFailure() || HasNonfatalFailure()) return;
      }
      EXPECT_GT(at, 10 * step);
    }
  }
};

TEST_F(RepairCrashTest, ASecondRepairGivesTheSameResult) {
  Fill(31, 200);
  const Files files = Save();
  for (const Damage damage :
       {&RepairCrashTest::None, &RepairCrashTest::NoCurrent,
        &RepairCrashTest::NoManifest, &RepairCrashTest::HalfAManifest,
        &RepairCrashTest::NothingButTables}) {
    CrashEverywhere(files, damage, std::min<uint64_t>(Stride(), 7));
    if (HasFatalFailure() || HasNonfatalFailure()) return;
  }
}

}  // namespace
}  // namespace tamis
