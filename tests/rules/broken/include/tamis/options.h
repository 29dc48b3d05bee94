// SPDX-License-Identifier: Apache-2.0
// For tests of the rule: the table leaves one of these out.
#pragma once

struct DBOptions {
  int shown = 0;
  bool forgotten = false;
};
