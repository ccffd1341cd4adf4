#if canImport(Darwin)
  import Darwin

  extension SystemSocket {
    /// Returns a nonblocking stream socket of a family, which a child process does not inherit; negative, with `errno`, for an error.
    static func open(_ family: Int32) -> Int32 {
      let descriptor = socket(family, SOCK_STREAM, 0)
      guard descriptor >= 0 else { return descriptor }
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
      set(descriptor, SOL_SOCKET, SO_NOSIGPIPE)
      return descriptor
    }

    /// Returns an IPv4 address without a host and a port.
    static func address() -> sockaddr_in {
      var address = sockaddr_in()
      address.sin_len = UInt8(MemoryLayout<sockaddr_in>.size)
      address.sin_family = sa_family_t(AF_INET)
      return address
    }

    /// Returns an address in the UNIX domain without a path.
    static func pathAddress() -> sockaddr_un {
      var address = sockaddr_un()
      address.sun_len = UInt8(MemoryLayout<sockaddr_un>.size)
      address.sun_family = sa_family_t(AF_UNIX)
      return address
    }

    /// Sends bytes, but no signal to this process if the connection has ended.
    static func send(_ descriptor: Int32, _ start: UnsafeRawPointer, _ count: Int) -> Int {
      unsafe Darwin.send(descriptor, start, count, 0)
    }

    /// Does nothing, because the system has no such option.
    static func acknowledge(_ descriptor: Int32) {}
  }
#endif
