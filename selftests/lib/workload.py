# SPDX-License-Identifier: GPL-2.0-only
"""Makes many parts of the kernel work, for inlined_counts.py, in one process."""
import ctypes
import itertools
import mmap
import os
import select
import signal
import socket
import tempfile
import time


LIBC = ctypes.CDLL(None, use_errno=True)
CLONE_NEWNS, MS_BIND, MS_PRIVATE_ALL = 0x20000, 0x1000, 0x44000
SPLICE_F_NONBLOCK = 2
BUFFER = ctypes.create_string_buffer(1 << 16)


def files(folder):
    for i in range(20):
        path = f"{folder}/{i}"
        with open(path, "w+b") as file:
            file.write(b"x" * 10000)
            file.flush()
            os.fsync(file.fileno())
            file.seek(0)
            file.read(5000)
            os.ftruncate(file.fileno(), 100)
            with mmap.mmap(file.fileno(), 100) as memory:
                memory[0] = 1
        os.chmod(path, 0o600)
        os.utime(path)
        os.link(path, path + ".link")
        os.symlink(path, path + ".symlink")
        os.rename(path, path + ".renamed")
        os.stat(path + ".link")
        os.listdir(folder)
    for name in os.listdir(folder):
        os.unlink(f"{folder}/{name}")


def read(path):
    file = LIBC.open(os.fsencode(path), os.O_RDONLY | os.O_NONBLOCK)
    LIBC.read(file, BUFFER, 20000)
    LIBC.close(file)


def readable():
    """Reads files of /proc and /sys, but not those of descriptors, nor a trace that others read."""
    for path, folders, names in itertools.chain(os.walk("/proc"), os.walk("/sys")):
        skip = {"task", "fd", "map_files", "tracing", "debug", "btf"}
        folders[:] = [name for name in folders if not name.isdigit() and name not in skip]
        for name in names:
            read(f"{path}/{name}")
    for name in ("self/maps", "self/status", "self/smaps", "../sys/kernel/btf/vmlinux"):
        read(f"/proc/{name}")


def sockets():
    for family in (socket.AF_INET, socket.AF_INET6):
        try:
            server = socket.create_server(("", 0), family=family)
            client = socket.create_connection(server.getsockname()[:2], 1)
        except OSError:
            continue
        with server, client, server.accept()[0] as peer:
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 1)
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 0)
            for _ in range(20):
                client.sendall(b"y" * 3000)
                peer.recv(100000)
            select.select([peer], [client], [], 0)
    ends = socket.socketpair()
    for _ in range(20):
        ends[0].send(b"z" * 100)
        ends[1].recv(100)


def processes():
    for _ in range(5):
        pid = os.fork()
        if not pid:
            os._exit(0)  # pylint: disable=protected-access
        os.waitpid(pid, 0)
    os.system("true")


def pipes(folder):
    ends = os.pipe(), os.pipe()
    for _ in range(5):
        os.write(ends[0][1], b"p" * 5000)
        LIBC.tee(ends[0][0], ends[1][1], 4000, SPLICE_F_NONBLOCK)
        os.splice(ends[0][0], ends[1][1], 1000, flags=SPLICE_F_NONBLOCK)
        with open(f"{folder}/spliced", "wb") as file:
            os.splice(ends[1][0], file.fileno(), 5000)
        os.read(ends[0][0], 5000)
    for end in (*ends[0], *ends[1]):
        os.close(end)


def mounts(folder):
    """Works in a mount namespace of its own, which the rest of the system doesn't see."""
    if LIBC.unshare(CLONE_NEWNS) or LIBC.mount(b"none", b"/", None, MS_PRIVATE_ALL, None):
        return
    path = f"{folder}/mount".encode()
    os.mkdir(path)
    if LIBC.mount(b"none", path, b"tmpfs", 0, None):
        return
    pipes(path.decode())
    LIBC.mount(path, path, None, MS_BIND, None)
    LIBC.umount2(path, 0)
    LIBC.umount2(path, 0)


def others():
    for _ in range(20):
        with mmap.mmap(-1, 1 << 20) as memory:
            memory[::4096] = b"m" * 256
        time.sleep(0.001)
        os.sched_yield()
    signal.signal(signal.SIGUSR1, lambda *_: None)
    os.kill(os.getpid(), signal.SIGUSR1)
    poll = select.epoll()
    read_end, write_end = os.pipe()
    poll.register(read_end, select.EPOLLIN)
    os.write(write_end, b"w")
    poll.poll(0)


with tempfile.TemporaryDirectory(dir="/tmp") as work:
    files(work)
    mounts(work)
readable()
sockets()
processes()
others()
