"""Lets a thread yield to those that compute."""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
import threading

_NICENESS = 10
_QOS_CLASS_UTILITY = 0x11  # <pthread/qos.h>: work that goes on while the user does something else


def lower_priority() -> None:
    """Lower the calling thread's priority, where the system has one for each thread."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):  # a sandbox may forbid it
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICENESS)
    elif sys.platform == "darwin":
        set_class = getattr(ctypes.CDLL(None), "pthread_set_qos_class_self_np", None)
        if set_class is not None:
            set_class(_QOS_CLASS_UTILITY, 0)
