#if canImport(Darwin)
  import Darwin
  import Dispatch
  import SluiceCore

  /// A source of hints that a database file, its WAL or its journal may have changed.
  ///
  /// This class has never been run. Dispatch reports changes of an open file, so that a WAL that is deleted and made
  /// anew is another file. A change of the folder therefore opens the files again.
  ///
  /// The database file itself is never opened: when a process closes a file, it loses all its locks on that file,
  /// including SQLite's. SQLite locks neither the WAL nor the journal. Each commit writes one of them, except with the
  /// journal modes `memory` and `off`, whose commits go unnoticed.
  final class FileEvents: Sendable {
    private struct State: Sendable {
      var folder: EventSource?
      var files: [EventSource] = []
      var isCancelled = false
    }

    private let state = Locked(State())
    private let queue = DispatchQueue(label: "sluice.files")
    private let paths: [String]
    private let hint: @Sendable () -> Void

    init(_ path: String, _ hint: @escaping @Sendable () -> Void) throws {
      paths = ["-wal", "-journal"].map { path + $0 }
      self.hint = hint
      let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
      guard let watch = source(of: folder, [.write], { [weak self] in self?.renew() }) else {
        let reason = unsafe String(cString: strerror(errno))
        throw SQLiteError(.cantOpen, "The folder of \(path) cannot be watched: \(reason)")
      }
      state.withLock { $0.folder = watch }
      // The queue is serial, so that no event of the folder opens the files at the same time.
      queue.sync { renew() }
    }

    func cancel() {
      let sources = state.withLock { state in
        state.isCancelled = true
        defer { (state.folder, state.files) = (nil, []) }
        return state.files + (state.folder.map { [$0] } ?? [])
      }
      for source in sources { source.cancel() }
    }

    /// Watches the files that exist now in the place of earlier ones, and gives a hint.
    private func renew() {
      let files = paths.compactMap { source(of: $0, [.write, .extend, .delete, .rename], hint) }
      let old = state.withLock { state in
        guard !state.isCancelled else { return files }
        defer { state.files = files }
        return state.files
      }
      for source in old { source.cancel() }
      hint()
    }

    /// Returns a source of events of a file or folder; nil if it cannot be opened.
    private func source(
      of path: String, _ events: DispatchSource.FileSystemEvent,
      _ handler: @escaping @Sendable () -> Void
    ) -> EventSource? {
      let descriptor = unsafe open(path, O_EVTONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return nil }
      let source = DispatchSource.makeFileSystemObjectSource(
        fileDescriptor: descriptor, eventMask: events, queue: queue)
      return EventSource(source, handler) { close(descriptor) }
    }
  }
#endif
