// SPDX-License-Identifier: Apache-2.0
//
// A setter and a getter for a field of an options struct. A source has a line
// for each field; tamis/c.h declares both functions.
#pragma once

#include <chrono>
#include <cstdint>
#include <type_traits>

namespace tamis::capi {

// Converts between a field and its C type: bools, enums, durations (in C their
// microseconds) and numbers.
template <typename Field, typename C>
void StoreField(C value, Field* field) {
  if constexpr (std::is_same_v<Field, bool>) {
    *field = value != 0;
  } else if constexpr (std::is_same_v<Field, std::chrono::microseconds>) {
    *field = std::chrono::microseconds(static_cast<int64_t>(value));
  } else {
    *field = static_cast<Field>(value);
  }
}

template <typename C, typename Field>
C LoadField(const Field& field) {
  if constexpr (std::is_same_v<Field, bool>) {
    return field ? 1 : 0;
  } else if constexpr (std::is_same_v<Field, std::chrono::microseconds>) {
    return static_cast<C>(field.count());
  } else {
    return static_cast<C>(field);
  }
}

}  // namespace tamis::capi

// tamis_<group>_set_<name>(<object>*, <set>) and
// <get> tamis_<group>_get_<name>(<object>*), for object->rep.<field>.
#define TAMIS_C_FIELD(group, object, set, get, name, field) \
  void tamis_##group##_set_##name(object* o, set value) {   \
    tamis::capi::StoreField(value, &o->rep.field);          \
  }                                                         \
  get tamis_##group##_get_##name(object* o) {               \
    return tamis::capi::LoadField<get>(o->rep.field);       \
  }
