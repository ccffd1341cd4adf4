#if !canImport(Darwin)
  #if canImport(Glibc)
    import Glibc

    private let kind = Int32(
      SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
  #else
    import Musl

    private let kind = SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK
  #endif

  extension SystemSocket {
    /// Returns a nonblocking stream socket of a family, which a child process does not inherit; negative, with `errno`, for an error.
    static func open(_ family: Int32) -> Int32 { socket(family, kind, 0) }

    /// Returns an IPv4 address without a host and a port.
    static func address() -> sockaddr_in {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      return address
    }

    /// Returns an address in the UNIX domain without a path.
    static func pathAddress() -> sockaddr_un {
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      return address
    }

    /// Sends bytes, but no signal to this process if the connection has ended.
    static func send(_ descriptor: Int32, _ start: UnsafeRawPointer, _ count: Int) -> Int {
      unsafe systemSend(descriptor, start, count)
    }

    /// Acknowledges the received bytes at once.
    static func acknowledge(_ descriptor: Int32) {
      set(descriptor, Int32(IPPROTO_TCP), TCP_QUICKACK)
    }
  }

  private func systemSend(_ descriptor: Int32, _ start: UnsafeRawPointer, _ count: Int) -> Int {
    unsafe send(descriptor, start, count, Int32(MSG_NOSIGNAL))
  }
#endif
