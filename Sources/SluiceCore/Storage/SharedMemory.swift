import CSluice
import Synchronization

/// The memory that connections to a WAL database share, for a ``VirtualFileSystem`` used within one process.
///
/// All files that are open at the same path must return the same object as their ``VirtualFile/sharedMemory``.
/// Nothing else is required.
public final class SharedMemory: Sendable {
  fileprivate struct State {
    /// The addresses of the regions, which are all of one size and do not move while they may be in use.
    var regions: [UInt] = []
    var size = 0
    /// The number of clients that share each lock, or -1 if one client holds it exclusively.
    var locks = [Int](repeating: 0, count: Int(SQLITE_SHM_NLOCK))
    var clients = 0
  }

  private let state = Locked(State())

  /// Creates memory that has no clients yet.
  public init() {}

  deinit { state.withLock { $0.deallocate() } }
}

extension SharedMemory.State {
  fileprivate mutating func deallocate() {
    for region in regions { unsafe UnsafeMutableRawPointer(bitPattern: region)?.deallocate() }
    regions = []
  }
}

extension SharedMemory {
  /// Returns the memory of a region, or nil if the region does not exist and `extends` is false.
  func region(_ index: Int, _ size: Int, extends: Bool) throws -> UnsafeMutableRawPointer? {
    let address: UInt? = try state.withLock { state in
      guard index >= 0, size > 0, index < 1 << 20, state.regions.isEmpty || size == state.size
      else {
        throw SQLiteError(.ioErrorSharedMemorySize, "A region of shared memory cannot be created")
      }
      guard index >= state.regions.count else { return state.regions[index] }
      guard extends else { return nil }
      state.size = size
      while state.regions.count <= index {
        let region = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
        unsafe region.initializeMemory(as: UInt8.self, repeating: 0, count: size)
        state.regions.append(UInt(bitPattern: region))
      }
      return state.regions[index]
    }
    return unsafe address.flatMap { unsafe UnsafeMutableRawPointer(bitPattern: $0) }
  }

  func barrier() {
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    // The thread sanitizer recognizes locks, but not fences.
    state.withLock { _ in }
  }

  /// One user of the memory, with the locks that this user holds.
  final class Client {
    let memory: SharedMemory
    private var shared: Set<Int> = []
    private var exclusive: Set<Int> = []
    private var hasLeft = false

    init(_ memory: SharedMemory) {
      self.memory = memory
      memory.state.withLock { $0.clients += 1 }
    }

    deinit { leave(deletes: false) }

    func lock(_ slots: Range<Int>, isExclusive: Bool) throws {
      let wanted = slots.filter { !(isExclusive ? exclusive : shared).contains($0) }
      let isFree = memory.state.withLock { state in
        guard slots.allSatisfy(state.locks.indices.contains),
          wanted.allSatisfy({ isExclusive ? state.locks[$0] == 0 : state.locks[$0] >= 0 })
        else { return false }
        for slot in wanted { state.locks[slot] += isExclusive ? -1 : 1 }
        return true
      }
      guard isFree else { throw SQLiteError(.busy, "Another connection has locked shared memory") }
      if isExclusive { exclusive.formUnion(wanted) } else { shared.formUnion(wanted) }
    }

    func unlock(_ slots: Range<Int>, isExclusive: Bool) {
      let held = slots.filter { (isExclusive ? exclusive : shared).contains($0) }
      if isExclusive { exclusive.subtract(held) } else { shared.subtract(held) }
      memory.state.withLock { state in
        for slot in held { state.locks[slot] += isExclusive ? 1 : -1 }
      }
    }

    /// Releases all locks, and the memory if `deletes` is true and no client remains.
    func leave(deletes: Bool) {
      guard !hasLeft else { return }
      hasLeft = true
      let slots = 0..<Int(SQLITE_SHM_NLOCK)
      unlock(slots, isExclusive: true)
      unlock(slots, isExclusive: false)
      memory.state.withLock { state in
        state.clients -= 1
        if deletes, state.clients == 0 { state.deallocate() }
      }
    }
  }
}
