// SPDX-License-Identifier: Apache-2.0
//
// The expected contents of a database after the steps of a Script: a map for
// each family.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>

#include "tests/interop/differential/script.h"

namespace tamis::differential {

class Model {
 public:
  struct Before {
    bool reverse = false;
    bool operator()(const std::string& a, const std::string& b) const {
      return reverse ? b < a : a < b;
    }
  };
  using Contents = std::map<std::string, std::string, Before>;

  void Apply(const Step& step);

  // Returns nullptr if there is no such family.
  const Contents* family(size_t slot) const {
    return families_[slot] ? &families_[slot]->contents : nullptr;
  }

 private:
  struct Family {
    std::string merge_operator;
    Contents contents;
  };

  void Apply(const Edit& edit);
  void Create(size_t slot, const FamilyPlan& plan);

  std::array<std::optional<Family>, kSlots> families_;
};

}  // namespace tamis::differential
