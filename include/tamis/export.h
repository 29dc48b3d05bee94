// SPDX-License-Identifier: Apache-2.0
//
// TAMIS_EXPORT marks what the shared library exports: the public classes with
// members in the library, and the public functions. The library is compiled
// with hidden visibility, so its internals cannot be linked against, and their
// names cannot clash with those of a program.
#pragma once

#if defined(__GNUC__)
#define TAMIS_EXPORT [[gnu::visibility("default")]]
#else
#define TAMIS_EXPORT
#endif
