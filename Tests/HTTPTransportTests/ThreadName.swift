import Glibc

/// Something that differs from thread to thread.
func threadName() -> UInt { UInt(pthread_self()) }
