// SPDX-License-Identifier: Apache-2.0
#include "tests/interop/differential/turn.h"

#include <cstdio>
#include <unistd.h>

#include "tests/interop/differential/driver.h"

namespace tamis::differential {

namespace {

TurnEnd Wrong(const std::string& problem) {
  std::printf("WRONG: %s\n", problem.c_str());
  return kTurnWentWrong;
}

}  // namespace

void Announce(const Script& script, size_t i) {
  std::printf("%llu:%zu %s => ", static_cast<unsigned long long>(script.seed),
              i, Describe(script.steps[i]).c_str());
  std::fflush(stdout);
}

TurnEnd TakeTurn(const Script& script, uint64_t turn,
                 const std::string& directory, bool verbose) {
  Driver driver(directory, verbose, Driver::Keep{});
  Model model;
  uint64_t now = 0;
  for (size_t i = 0; i < script.steps.size(); ++i) {
    const Step& step = script.steps[i];
    if (now == turn) {
      if (step.act == Act::kClose) {
        const std::string problem = driver.Check(model, script.keys);
        if (!problem.empty()) return Wrong("before the close: " + problem);
      }
      Announce(script, i);
      if (step.act == Act::kClose && step.flag) {
        std::printf("dies\n");
        std::fflush(stdout);
        ::_exit(kTurnEnded);
      }
      std::printf("%s\n", driver.Do(step).c_str());
      if (step.act == Act::kClose) return kTurnEnded;
    }
    model.Apply(step);
    if (step.act == Act::kClose) ++now;
    if (now == turn && step.act == Act::kOpen) {
      const std::string problem = driver.Check(model, script.keys);
      if (!problem.empty()) return Wrong("after the open: " + problem);
    }
  }
  return kNoSuchTurn;
}

}  // namespace tamis::differential
