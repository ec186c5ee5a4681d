#!/usr/bin/env bash
# Tries to reach something outside of its container, and prints for each place `reached` or `blocked`. The file
# `listener` names an address and a port of the machine that runs the container.
set -euo pipefail
[[ -z ${AF_WORKSPACE:-} ]] || exit 0

python3 - "$(dirname "$0")/listener" <<'PYTHON'
import socket
import struct
import sys


def tcp(address, port):
    """Somebody answers; that a connection is taken may be the doing of a proxy."""
    with socket.create_connection((address, port), timeout=5) as connection:
        connection.sendall(b"HEAD / HTTP/1.0\r\n\r\n")
        return connection.recv(1)


def udp(address, port, question=b"hello"):
    with socket.socket(type=socket.SOCK_DGRAM) as sender:
        sender.settimeout(5)
        sender.sendto(question, (address, port))
        return sender.recv(1500)


def gateway():
    """Where packets to anywhere go first: the machine that runs the container."""
    with open("/proc/net/route") as table:
        rows = [line.split() for line in table]
    return next((socket.inet_ntoa(struct.pack("<L", int(row[2], 16))) for row in rows if row[1] == "0" * 8), "172.17.0.1")


address, port = open(sys.argv[1]).read().split()
machines = dict.fromkeys([gateway(), address, "host.docker.internal"])
query = b"\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x07example\x03com\x00\x00\x01\x00\x01"
places = [
    *(("tcp", machine, int(port)) for machine in machines),
    *(("udp", machine, int(port)) for machine in machines),
    ("tcp", "1.1.1.1", 80),
    ("tcp", "example.com", 80),
    ("tcp", "2606:4700:4700::1111", 80),
    ("udp", "8.8.8.8", 53, query),
]
for protocol, *place in places:
    try:
        reached = bool({"tcp": tcp, "udp": udp}[protocol](*place))
    except OSError:
        reached = False
    print("reached" if reached else "blocked", protocol, place[0], place[1], flush=True)
PYTHON
