"""Ports for programs that have to be told one before they start."""
import socket

_kept = []


def free_port():
    """A port of the loopback address that nobody has, and that nobody is given until this process ends. The socket that
    keeps it doesn't listen: with SO_REUSEADDR, which every server sets, another may be bound beside it by its number."""
    keeper = socket.socket()
    keeper.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    keeper.bind(("127.0.0.1", 0))
    _kept.append(keeper)
    return keeper.getsockname()[1]
