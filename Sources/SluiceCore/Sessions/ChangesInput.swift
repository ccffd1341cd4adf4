import CSluice

/// Gives the chunks of a stream to SQLite, each after it has been checked.
final class ChangesInput {
  /// What was thrown while SQLite asked for bytes.
  private(set) var failure: (any Error)?
  private let next: () throws -> [UInt8]?
  private var check: ChangesCheck
  private var chunk: [UInt8] = []
  private var position = 0
  private var isAtEnd = false

  init(_ next: @escaping () throws -> [UInt8]?, _ check: ChangesCheck) {
    self.next = next
    self.check = check
  }

  /// What SQLite gives to `read`.
  var pointer: UnsafeMutableRawPointer { unsafe Unmanaged.passUnretained(self).toOpaque() }

  /// Gets more bytes, as SQLite asks for them.
  static let read: sluice_input = { me, bytes, count in
    let me = unsafe Unmanaged<ChangesInput>.fromOpaque(me!).takeUnretainedValue()
    let wanted = unsafe Int(count!.pointee)
    // SQLite counts what is said here even if it is told of a failure.
    unsafe count!.pointee = 0
    do {
      if let failure = me.failure { throw failure }
      try me.fetch()
    } catch {
      if me.failure == nil { me.failure = error }
      return SQLITE_ABORT
    }
    let number = min(wanted, me.chunk.count - me.position)
    guard number > 0, let bytes = unsafe bytes else { return SQLITE_OK }
    unsafe me.chunk.withUnsafeBytes { chunk in
      unsafe bytes.copyMemory(from: chunk.baseAddress! + me.position, byteCount: number)
    }
    me.position += number
    unsafe count!.pointee = Int32(number)
    return SQLITE_OK
  }

  /// Sees to it that there are bytes, unless there are no more.
  private func fetch() throws {
    while position == chunk.count, !isAtEnd {
      chunk = []
      position = 0
      if let bytes = try next() {
        try check.feed(bytes)
        chunk = check.dropsNewKeys ? check.kept : bytes
      } else {
        try check.finish()
        isAtEnd = true
      }
    }
  }
}

/// Takes the chunks that SQLite writes.
final class ChangesOutput {
  /// What was thrown while SQLite wrote bytes.
  private(set) var failure: (any Error)?
  private let take: ([UInt8]) throws -> Void

  init(_ take: @escaping ([UInt8]) throws -> Void) { self.take = take }

  static let write: sluice_output = { me, bytes, count in
    let me = unsafe Unmanaged<ChangesOutput>.fromOpaque(me!).takeUnretainedValue()
    do {
      try me.take(unsafe [UInt8](UnsafeRawBufferPointer(start: bytes, count: Int(count))))
      return SQLITE_OK
    } catch {
      if me.failure == nil { me.failure = error }
      return SQLITE_ABORT
    }
  }
}

/// Makes a call of SQLite's that writes to `output`, and throws what a closure threw in it, or what its
/// code means.
func withOutput(
  _ output: ([UInt8]) throws -> Void, _ inputs: ChangesInput...,
  failing error: (Int32) -> any Error = { unsafe SQLiteError($0, of: nil) },
  _ call: (UnsafeMutableRawPointer) throws -> Int32
) throws {
  try withoutActuallyEscaping(output) { output in
    let output = ChangesOutput(output)
    let code = try unsafe call(Unmanaged.passUnretained(output).toOpaque())
    try withExtendedLifetime((output, inputs)) {
      // SQLite stops at the first failure, so there is no other; not always does it say that it has stopped.
      if let failure = inputs.lazy.compactMap(\.failure).first ?? output.failure { throw failure }
      if code != SQLITE_OK { throw error(code) }
    }
  }
}
