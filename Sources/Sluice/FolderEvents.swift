#if canImport(Glibc) || canImport(Musl)
  import Dispatch
  import SluiceCore

  #if canImport(Glibc)
    import Glibc
  #else
    import Musl
  #endif

  /// The folder watches of the process, which share one inotify instance because each user can create only a few.
  final class FolderEvents: Sendable {
    static let shared = FolderEvents()

    typealias Hint = @Sendable () -> Void

    /// A watch in progress, which can be ended.
    struct Watch: Sendable {
      fileprivate let number: Int
      fileprivate let files: [File]
      fileprivate var folder: Int32 { files[0].folder }
    }

    /// A file name, and the watch descriptor of its folder.
    ///
    /// The system does not reuse watch descriptors.
    fileprivate struct File: Hashable {
      let folder: Int32
      let name: String
    }

    private struct State {
      /// The inotify instance and its event source, which are created with the first watch and never released.
      var instance: (descriptor: Int32, source: EventSource)?
      var count = 0
      var hints: [File: [Int: Hint]] = [:]
      /// The number of watches on each folder.
      var watches: [Int32: Int] = [:]
    }

    private let state = Locked(State())

    /// Calls `hint` when the database, its WAL or its journal may have changed.
    func add(_ path: String, _ hint: @escaping Hint) throws -> Watch {
      let end = path.lastIndex(of: "/")
      let folder = end.map { String(path[..<$0]) + "/" } ?? "."
      let name = end.map { String(path[path.index(after: $0)...]) } ?? path
      return try state.withLock { state in
        let descriptor = try begin(&state, path)
        let events = IN_MODIFY | IN_CREATE | IN_DELETE | IN_MOVED_TO
        // For a folder that is already watched, the system returns the existing descriptor.
        let number = unsafe inotify_add_watch(descriptor, folder, UInt32(events))
        guard number >= 0 else { throw failure(path) }
        state.count += 1
        state.watches[number, default: 0] += 1
        let files = ["", "-wal", "-journal"].map { File(folder: number, name: name + $0) }
        for file in files { state.hints[file, default: [:]][state.count] = hint }
        return Watch(number: state.count, files: files)
      }
    }

    /// Ends a watch; ending it again has no effect.
    func remove(_ watch: Watch) {
      // Release the closure outside the lock, because releasing its captures may run any code.
      _ = state.withLock { state -> Hint? in
        var hint: Hint?
        for file in watch.files {
          hint = state.hints[file]?.removeValue(forKey: watch.number)
          if state.hints[file]?.isEmpty == true { state.hints[file] = nil }
        }
        guard hint != nil else { return nil }
        let count = state.watches[watch.folder, default: 1] - 1
        state.watches[watch.folder] = count > 0 ? count : nil
        if count == 0, let instance = state.instance {
          inotify_rm_watch(instance.descriptor, watch.folder)
        }
        return hint
      }
    }

    private func begin(_ state: inout State, _ path: String) throws -> Int32 {
      if let instance = state.instance { return instance.descriptor }
      let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
      guard descriptor >= 0 else { throw failure(path) }
      let source = DispatchSource.makeReadSource(
        fileDescriptor: descriptor, queue: DispatchQueue(label: "sluice.files"))
      state.instance = (descriptor, EventSource(source) { [self] in tellAll(descriptor) })
      return descriptor
    }

    /// Reads all pending events, and calls the closures of the watches on the affected files.
    private func tellAll(_ descriptor: Int32) {
      let head = MemoryLayout<inotify_event>.size
      var buffer = [UInt8](repeating: 0, count: 8192)
      while true {
        let count = unsafe buffer.withUnsafeMutableBytes {
          unsafe read(descriptor, $0.baseAddress, $0.count)
        }
        guard count > 0 else { return }
        unsafe buffer.withUnsafeBytes { bytes in
          var offset = 0
          while offset + head <= count {
            let event = unsafe bytes.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
            let start = offset + head
            offset = min(count, start + Int(event.len))
            let name = unsafe String(
              decoding: bytes[start..<offset].prefix { $0 != 0 }, as: UTF8.self)
            // If events were lost, any file may have changed.
            let isLost = event.mask & UInt32(IN_Q_OVERFLOW) != 0
            tell(isLost ? nil : File(folder: event.wd, name: name))
          }
        }
      }
    }

    /// Calls the closures of the watches on a file, or all closures if `file` is nil.
    private func tell(_ file: File?) {
      let hints: [Hint] = state.withLock { state in
        guard let file else { return state.hints.values.flatMap(\.values) }
        return state.hints[file].map { Array($0.values) } ?? []
      }
      for hint in hints { hint() }
    }

    private func failure(_ path: String) -> SQLiteError {
      let reason = unsafe String(cString: strerror(errno))
      return SQLiteError(.cantOpen, "The folder of \(path) cannot be watched: \(reason)")
    }
  }
#endif
