// SPDX-License-Identifier: Apache-2.0
//
// Installs a process-wide handler of SIGBUS. Access to a mapped file raises
// SIGBUS if the page cannot be read or written, because another process
// truncated the file or the device failed. The handler offers the fault to
// MappedFile (reads) and to MappedWindow (stores). If the address is theirs,
// they replace the mapping or the page by other memory, and the access
// continues. The owner of the mapping then finds failed() and returns a Status.
//
// Any other SIGBUS is passed to the handler that was installed before, with the
// signal mask that the earlier one asked for. If that was SIG_DFL, the fault is
// repeated under SIG_DFL, so that a core dump shows the place of the fault.
// SIG_IGN ignores signals that were sent; a fault ends the process, as the
// kernel does. Two differences remain from a process without this handler:
// * An earlier handler runs on the thread's alternate stack, if there is one,
//   and interrupted system calls are restarted, whatever its flags say.
// * A fault that ends the process under SIG_DFL or SIG_IGN does so when it
//   repeats. If another thread mends the page in between, the process lives,
//   and lacks this handler until a file is mapped again.
//
// If the program later installs a handler that does not call this one, the
// protection is lost, and access to a page that cannot be read or written ends
// the process.
#pragma once

namespace tamis {

// Installs the handler if it is not installed yet, or was given up for a fault
// that did not end the process. Returns false if the system refuses. Any
// thread.
bool InstallBusErrorHandler();

}  // namespace tamis
