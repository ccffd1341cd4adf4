import CSluice

/// A thread with a large stack, for calls of SQLite whose depth of recursion an untrusted file determines.
enum LargeStack {
  /// Calls `body` on a new thread with at least this many bytes of stack, and returns its result.
  ///
  /// The calling thread waits. The stack takes memory only as far as the recursion reaches.
  static func call<T>(bytes: Int, _ body: () throws -> T) throws -> T {
    // A stack consists of whole pages, which have up to 64 KB.
    let size = (bytes + 0xffff) & ~0xffff
    var result: Result<T, any Error>?
    func run() { result = Result { try body() } }
    let error = withoutActuallyEscaping(run) { run in
      var run = run
      return unsafe withUnsafeMutablePointer(to: &run) { run in
        unsafe sluice_call_on_stack(size, performCall, run)
      }
    }
    guard let result else {
      throw SQLiteError(.noMemory, "No memory for a stack of \(size) bytes (error \(error))")
    }
    return try result.get()
  }
}

/// Calls the closure at an address.
private func performCall(_ closure: UnsafeMutableRawPointer?) {
  unsafe closure!.assumingMemoryBound(to: (() -> Void).self).pointee()
}
