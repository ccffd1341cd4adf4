// swift-format-ignore-file: AlwaysUseLowerCamelCase

// Stand-ins for what Sluice uses of the module Darwin, and of Dispatch on Apple's systems, according to their
// documentation. The other declarations of Darwin are those of the C library of Linux.
public import Dispatch
@_exported import Glibc

public let O_EVTONLY: Int32 = 0x8000
public let SOCK_STREAM: Int32 = 1
public let SO_NOSIGPIPE: Int32 = 0x1022

extension sockaddr_un {
  public var sun_len: UInt8 {
    get { 0 }
    set {}
  }
}

extension sockaddr_in {
  public var sin_len: UInt8 {
    get { 0 }
    set {}
  }
}

extension DispatchSource {
  public class func makeFileSystemObjectSource(
    fileDescriptor: Int32, eventMask: FileSystemEvent, queue: DispatchQueue? = nil
  ) -> any DispatchSourceProtocol { fatalError() }
}
