"""Runs a program and kills it before one chosen system call that changes files.

Owns: following a program and all its threads with ptrace (Linux, x86-64 and aarch64), counting the
system calls that change something on disk, and SIGKILL before the one with a given number. A process
that is killed there has done everything before that call and nothing of it. May not: look into the
ledger; what must hold afterwards is judged in `sweep.py`.

Only the standard library is used. The calls and numbers are those of ptrace(2) and of the kernel's
system call tables.
"""

import ctypes
import os
import platform
import signal
import tempfile

PTRACE_TRACEME = 0
PTRACE_CONT = 7
PTRACE_SYSCALL = 24
PTRACE_SETOPTIONS = 0x4200
PTRACE_GETREGSET = 0x4204
NT_PRSTATUS = 1
TRACESYSGOOD, TRACEFORK, TRACEVFORK, TRACECLONE, TRACEEXEC, EXITKILL = 1, 2, 4, 8, 16, 1 << 20
SYSCALL_STOP = signal.SIGTRAP | 0x80

# Calls that change files: what each is called, and its number.
CALLS = {
    "x86_64": {
        1: "write", 18: "pwrite64", 20: "writev", 74: "fsync", 75: "fdatasync", 76: "truncate",
        77: "ftruncate", 82: "rename", 83: "mkdir", 84: "rmdir", 86: "link", 87: "unlink",
        257: "openat", 258: "mkdirat", 263: "unlinkat", 264: "renameat", 285: "fallocate",
        296: "pwritev", 316: "renameat2", 277: "sync_file_range",
    },
    "aarch64": {
        34: "mkdirat", 35: "unlinkat", 38: "renameat", 45: "truncate", 46: "ftruncate",
        47: "fallocate", 56: "openat", 64: "write", 66: "writev", 68: "pwrite64", 70: "pwritev",
        82: "fsync", 83: "fdatasync", 84: "sync_file_range", 276: "renameat2",
    },
}
# Where the registers of a stopped thread hold the number of the call and its first three arguments.
LAYOUT = {"x86_64": (27, 15, (14, 13, 12)), "aarch64": (34, 8, (0, 1, 2))}
O_CREAT = 0o100

libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
libc.ptrace.restype = ctypes.c_long


class Unsupported(Exception):
    """This machine cannot follow processes."""


class Outcome:
    """What became of a run: the calls that were counted, the output, and how the program ended."""

    def __init__(self, calls, output, killed, status):
        self.calls = calls
        self.output = output
        self.killed = killed
        self.status = status


class _Vector(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]


def run(argv, env, kill_at=None, stdin=None):
    """Runs `argv` and kills it before the counted call number `kill_at` (from 0), if it comes to it.

    `stdin` is the path of a file with what the program reads."""
    machine = platform.machine()
    if machine not in CALLS:
        raise Unsupported(f"the system call numbers of {machine} are not known")
    # A file and not a pipe: a pipe that nobody empties would hold up the program.
    with tempfile.TemporaryFile() as out:
        child = os.fork()
        if child == 0:
            _become(argv, env, out.fileno(), stdin)
        calls, killed, status = _follow(child, machine, kill_at)
        out.seek(0)
        return Outcome(calls, out.read(), killed, status)


def _become(argv, env, out, stdin):
    try:
        os.dup2(out, 1)
        null = os.open(os.devnull, os.O_RDWR)
        os.dup2(os.open(stdin, os.O_RDONLY) if stdin else null, 0)
        os.dup2(null, 2)
        if libc.ptrace(PTRACE_TRACEME, 0, None, None) != 0:
            os._exit(126)
        os.execve(argv[0], argv, env)
    finally:
        os._exit(127)


def _follow(child, machine, kill_at):
    _, status = os.waitpid(child, 0)
    if os.WIFEXITED(status):
        code = os.WEXITSTATUS(status)
        raise Unsupported("ptrace is not allowed here" if code == 126 else "the program did not start")
    options = TRACESYSGOOD | TRACEFORK | TRACEVFORK | TRACECLONE | TRACEEXEC | EXITKILL
    if libc.ptrace(PTRACE_SETOPTIONS, child, None, options) != 0:
        raise Unsupported("this kernel does not follow threads")
    calls, inside, killed, last = [], set(), False, None
    _resume(child)
    while True:
        try:
            thread, status = os.waitpid(-1, 0x40000000)  # __WALL: threads too
        except ChildProcessError:
            return calls, killed, last
        if os.WIFEXITED(status) or os.WIFSIGNALED(status):
            inside.discard(thread)
            if thread == child:
                last = status
            continue
        stopped = os.WSTOPSIG(status)
        passed_on = 0
        if stopped == SYSCALL_STOP:
            entering = thread not in inside
            (inside.add if entering else inside.discard)(thread)
            name = _changes_files(thread, machine) if entering and not killed else None
            if name is not None:
                if kill_at == len(calls):
                    killed = True
                    os.kill(child, signal.SIGKILL)
                    continue
                calls.append(name)
        elif stopped not in (signal.SIGTRAP, signal.SIGSTOP):
            passed_on = stopped
        _resume(thread, passed_on)


def _resume(thread, passed_on=0):
    # A thread that was killed meanwhile cannot be resumed; its end is waited for like any other.
    libc.ptrace(PTRACE_SYSCALL, thread, None, passed_on)


def _changes_files(thread, machine):
    """The name of the call that the thread is about to make, if it is one that counts."""
    registers = (ctypes.c_ulong * 40)()
    vector = _Vector(ctypes.cast(registers, ctypes.c_void_p), ctypes.sizeof(registers))
    if libc.ptrace(PTRACE_GETREGSET, thread, NT_PRSTATUS, ctypes.addressof(vector)) != 0:
        return None
    _, number_at, arguments = LAYOUT[machine]
    name = CALLS[machine].get(registers[number_at])
    if name == "openat" and not registers[arguments[2]] & O_CREAT:
        return None
    if name in ("write", "writev") and registers[arguments[0]] <= 2:
        return None
    return name

