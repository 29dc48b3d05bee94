// SPDX-License-Identifier: Apache-2.0
//
// What the module offers, by dlsym. Handles are databases.
#pragma once

extern "C" {
// nullptr: it failed.
void* PluginOpen(const char* directory);
// Keys [from, to).
bool PluginPut(void* db, int from, int to);
bool PluginHas(void* db, int from, int to);
bool PluginClose(void* db);
}
