import CSluice
import Synchronization

/// The part of SQLite that records changes, and works on what it has recorded.
enum SessionModule {
  private static let state = Atomic(untouched)
  private static let untouched = 0
  private static let configuring = 1
  private static let inUse = 2

  /// Comes before each use; from the first on, the size of chunks stays what it is.
  static func enter() throws {
    try SQLiteLibrary.require(.sessions)
    try SQLiteLibrary.start()
    while true {
      let (_, found) = state.compareExchange(
        expected: untouched, desired: inUse, ordering: .acquiringAndReleasing)
      if found != configuring { return }
    }
  }

  /// Runs `body` if the module has not been used yet, and keeps others from it meanwhile.
  static func configure<T>(_ body: () throws -> T) throws -> T {
    try SQLiteLibrary.require(.sessions)
    try SQLiteLibrary.start()
    let (isOurs, _) = state.compareExchange(
      expected: untouched, desired: configuring, ordering: .acquiringAndReleasing)
    guard isOurs else {
      throw SQLiteError(
        .misuse, "Changes were already recorded or read; configure this before")
    }
    defer { state.store(untouched, ordering: .releasing) }
    return try body()
  }

  /// Calls SQLite for bytes that it allocates, and copies them.
  static func bytes(
    _ call: (UnsafeMutablePointer<Int32>, UnsafeMutablePointer<UnsafeMutableRawPointer?>) throws ->
      Void
  ) throws -> [UInt8] {
    var count: Int32 = 0
    var bytes: UnsafeMutableRawPointer?
    defer { unsafe sqlite3_free(bytes) }
    try unsafe call(&count, &bytes)
    return unsafe [UInt8](UnsafeRawBufferPointer(start: bytes, count: Int(count)))
  }

  /// Throws what a code means that belongs to no connection, unless it is success.
  static func check(_ code: Int32) throws {
    guard code != SQLITE_OK else { return }
    throw unsafe SQLiteError(code, of: nil)
  }

  /// The length of bytes for C, which counts with 32 bits.
  static func count(of bytes: [UInt8]) throws -> Int32 {
    guard let count = Int32(exactly: bytes.count) else {
      throw SQLiteError(.tooBig, "Changes of 2 GiB or more need a stream")
    }
    return count
  }
}

extension SQLiteLibrary {
  /// How many bytes of changes a stream moves at a time: about 1 KiB, if nothing else was asked for.
  ///
  /// The corresponding C function is `sqlite3session_config`.
  public static var sessionChunkSize: Int {
    get throws {
      try SessionModule.enter()
      var size: Int32 = 0
      try SessionModule.check(unsafe sluice_session_config(chunkSize, &size))
      return Int(size)
    }
  }

  /// Lets streams of changes move about `bytes` at a time.
  ///
  /// It holds for the whole process, and has to come before anything is recorded or read there; it
  /// throws ``ResultCode/misuse`` afterwards. Less than one byte, and more than a thousand million,
  /// throws ``ResultCode/range``.
  ///
  /// The corresponding C function is `sqlite3session_config`.
  public static func setSessionChunkSize(_ bytes: Int) throws {
    guard 1...1_000_000_000 ~= bytes else {
      throw SQLiteError(
        .range, "The chunk size must be from 1 to 1,000,000,000 bytes (got \(bytes))")
    }
    try SessionModule.configure {
      var size = Int32(bytes)
      try SessionModule.check(unsafe sluice_session_config(chunkSize, &size))
    }
  }

  /// The option `SQLITE_SESSION_CONFIG_STRMSIZE`.
  private static let chunkSize: Int32 = 1
}

/// Gives the chunks of a stream to SQLite, each after it has been checked.
final class ChangesInput {
  /// The error that was thrown while SQLite asked for bytes.
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

  /// The context that SQLite passes to `read`.
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
  /// The error that was thrown while SQLite wrote bytes.
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
