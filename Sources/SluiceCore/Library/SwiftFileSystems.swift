import CSluice

/// The addresses of the file systems in Swift that are or were registered.
///
/// Sluice uses the addresses to recognize connections with a file system in Swift, because such a file system
/// must not use the connection that calls it.
enum SwiftFileSystems {
  private static let addresses = Locked<Set<UInt>>([])

  static var isEmpty: Bool { addresses.withLock { $0.isEmpty } }

  static func add(_ system: UnsafeMutablePointer<sqlite3_vfs>) {
    let address = UInt(bitPattern: system)
    addresses.withLock { _ = $0.insert(address) }
  }

  static func contains(_ system: UnsafeMutablePointer<sqlite3_vfs>?) -> Bool {
    let address = UInt(bitPattern: system)
    return addresses.withLock { $0.contains(address) }
  }
}
