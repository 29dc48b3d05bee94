// SPDX-License-Identifier: Apache-2.0
#include "tamis/listener.h"

namespace tamis {

EventListener::~EventListener() = default;

}  // namespace tamis
