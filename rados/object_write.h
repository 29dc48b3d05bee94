// SPDX-License-Identifier: Apache-2.0
//
// An ObjectWrite is one change of one object, as RADOS makes it: steps that
// take effect all together, in order, or not at all. Conditions come first. The
// change is refused if one of them does not hold.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tamis::rados {

class ObjectWrite {
 public:
  enum class Kind : uint8_t {
    kRequireEqual,   // the attribute `name` is `value`
    kRequireAtMost,  // the attribute is, by its bytes, `value` or less
    kCreate,         // the object, which must not exist
    kSetAttribute,
    kWriteBytes,   // `bytes`, at `offset`
    kSetEntry,     // of the object's map
    kRemoveEntry,  // if it is there
    kRemove,       // the object
  };
  struct Step {
    Kind kind = Kind::kCreate;
    std::string name;
    std::string value;
    uint64_t offset = 0;
    std::shared_ptr<const std::string> bytes = nullptr;
  };

  ObjectWrite& RequireEqual(std::string attribute, std::string value) {
    return Add({Kind::kRequireEqual, std::move(attribute), std::move(value)});
  }
  ObjectWrite& RequireAtMost(std::string attribute, std::string value) {
    return Add({Kind::kRequireAtMost, std::move(attribute), std::move(value)});
  }
  ObjectWrite& Create() { return Add({Kind::kCreate, "", ""}); }
  ObjectWrite& SetAttribute(std::string attribute, std::string value) {
    return Add({Kind::kSetAttribute, std::move(attribute), std::move(value)});
  }
  ObjectWrite& WriteBytes(uint64_t offset, std::string bytes) {
    return WriteBytes(offset,
                      std::make_shared<const std::string>(std::move(bytes)));
  }
  // The same bytes can be sent again without a copy.
  ObjectWrite& WriteBytes(uint64_t offset,
                          std::shared_ptr<const std::string> bytes) {
    return Add({Kind::kWriteBytes, "", "", offset, std::move(bytes)});
  }
  ObjectWrite& SetEntry(std::string key, std::string value) {
    return Add({Kind::kSetEntry, std::move(key), std::move(value)});
  }
  ObjectWrite& RemoveEntry(std::string key) {
    return Add({Kind::kRemoveEntry, std::move(key), ""});
  }
  ObjectWrite& Remove() { return Add({Kind::kRemove, "", ""}); }
  // Adds the steps of another change.
  ObjectWrite& Append(ObjectWrite other) {
    for (Step& step : other.steps_) Add(std::move(step));
    return *this;
  }

  const std::vector<Step>& steps() const { return steps_; }

 private:
  ObjectWrite& Add(Step step) {
    steps_.push_back(std::move(step));
    return *this;
  }

  std::vector<Step> steps_;
};

}  // namespace tamis::rados
