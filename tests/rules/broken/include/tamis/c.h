// SPDX-License-Identifier: Apache-2.0
//
// No option has a function here.
#pragma once

void tamis_open(void);
