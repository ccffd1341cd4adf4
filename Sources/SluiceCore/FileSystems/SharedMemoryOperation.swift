import CSluice

/// Something that SQLite does with the memory that all connections to a database with a WAL share, lent for
/// the time of the call.
///
/// A file either passes it on to another one, or lets its ``VirtualFile/sharedMemory`` do it.
@safe public struct SharedMemoryOperation: ~Copyable {
  /// What SQLite does.
  public let kind: Kind
  /// The file that it is done for.
  let box: FileBox

  init(_ kind: Kind, _ box: FileBox) {
    self.kind = kind
    self.box = box
  }

  // A struct that cannot be copied and holds a class makes Swift 6.3 crash without one.
  deinit {}

  /// What is done with the memory.
  public enum Kind: Hashable, Sendable {
    /// It gets a region of so many bytes into its hands, which is made if `extends`.
    case map(region: Int, size: Int, extends: Bool)
    /// It locks some of eight locks, for itself alone or together with other readers; throws
    /// ``ResultCode/busy`` if it cannot.
    case lock(Range<Int>, isExclusive: Bool)
    /// It releases locks.
    case unlock(Range<Int>, isExclusive: Bool)
    /// It wants what it has written to be seen before what it writes from now on.
    case barrier
    /// It gives the memory back, which is not needed any more if `deletes`.
    case unmap(deletes: Bool)
  }

  // The optimizer of Swift 6.3 crashes on a body that borrows the operation in more than one branch.
  func perform(with memory: SharedMemory) throws { try box.perform(kind, with: memory) }
}

extension FileBox {
  fileprivate func perform(
    _ kind: SharedMemoryOperation.Kind, with memory: SharedMemory
  ) throws {
    let client = client ?? SharedMemory.Client(memory)
    self.client = client
    switch kind {
    case .map(let number, let size, let extends):
      unsafe region = try client.memory.region(number, size, extends: extends)
    case .lock(let slots, let isExclusive): try client.lock(slots, isExclusive: isExclusive)
    case .unlock(let slots, let isExclusive): client.unlock(slots, isExclusive: isExclusive)
    case .barrier: client.memory.barrier()
    case .unmap(let deletes):
      self.client = nil
      client.leave(deletes: deletes)
    }
  }
}
