import CSluice
import Synchronization

/// SQLite's session extension, which records changes and processes recorded changes.
enum SessionModule {
  private static let state = Atomic(untouched)
  private static let untouched = 0
  private static let configuring = 1
  private static let inUse = 2

  /// Prepares a use of the module; from the first use on, the chunk size cannot be changed.
  static func enter() throws {
    try SQLiteLibrary.require(.sessions)
    try SQLiteLibrary.start()
    while true {
      let (_, found) = state.compareExchange(
        expected: untouched, desired: inUse, ordering: .acquiringAndReleasing)
      if found != configuring { return }
    }
  }

  /// Runs `body` if the module has not been used yet, and prevents its use during the call.
  static func configure<T>(_ body: () throws -> T) throws -> T {
    try SQLiteLibrary.require(.sessions)
    try SQLiteLibrary.start()
    let (isOurs, _) = state.compareExchange(
      expected: untouched, desired: configuring, ordering: .acquiringAndReleasing)
    guard isOurs else {
      throw SQLiteError(
        .misuse, "The chunk size must be set before changes are recorded or read")
    }
    defer { state.store(untouched, ordering: .releasing) }
    return try body()
  }

  /// Makes an SQLite call that allocates bytes, and returns a copy of the bytes.
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

  /// Throws the error for the result code of a call without a connection, unless the code is `SQLITE_OK`.
  static func check(_ code: Int32) throws {
    guard code != SQLITE_OK else { return }
    throw unsafe SQLiteError(code, of: nil)
  }

  /// Returns the number of bytes for C, which uses 32-bit counts.
  static func count(of bytes: [UInt8]) throws -> Int32 {
    guard let count = Int32(exactly: bytes.count) else {
      throw SQLiteError(.tooBig, "Changes of 2 GiB or more must be passed as a stream")
    }
    return count
  }
}

extension SQLiteLibrary {
  /// The number of bytes that a stream of changes reads or writes at a time; about 1 KiB by default.
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

  /// Sets the approximate number of bytes that streams of changes read or write at a time.
  ///
  /// The setting applies to the whole process. Throws ``ResultCode/misuse`` after the process has recorded or
  /// read any changes. Throws ``ResultCode/range`` if `bytes` is less than 1 or more than 1,000,000,000.
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

/// An input stream for SQLite that validates each chunk before passing it on.
final class ChangesInput {
  /// The error that was thrown while SQLite requested bytes.
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

  /// The callback that supplies the bytes that SQLite requests.
  static let read: sluice_input = { me, bytes, count in
    let me = unsafe Unmanaged<ChangesInput>.fromOpaque(me!).takeUnretainedValue()
    let wanted = unsafe Int(count!.pointee)
    // SQLite uses this count even if the callback reports a failure.
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

  /// Fetches chunks until bytes are available or the stream ends.
  private func fetch() throws {
    while position == chunk.count, !isAtEnd {
      chunk = []
      position = 0
      if let bytes = try next() {
        try check.feed(bytes)
        chunk = check.isRewriting ? check.kept : bytes
      } else {
        try check.finish()
        isAtEnd = true
      }
    }
  }
}

/// An output for the chunks that SQLite writes.
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

/// Makes an SQLite call that writes to `output`.
///
/// Throws the error that a closure threw during the call, or the error of the result code if no closure threw.
func withOutput(
  _ output: ([UInt8]) throws -> Void, _ inputs: ChangesInput...,
  failing error: (Int32) -> any Error = { unsafe SQLiteError($0, of: nil) },
  _ call: (UnsafeMutableRawPointer) throws -> Int32
) throws {
  try withoutActuallyEscaping(output) { output in
    let output = ChangesOutput(output)
    let code = try unsafe call(Unmanaged.passUnretained(output).toOpaque())
    try withExtendedLifetime((output, inputs)) {
      // SQLite stops at the first failure of a closure, but does not always report that failure.
      if let failure = inputs.lazy.compactMap(\.failure).first ?? output.failure { throw failure }
      if code != SQLITE_OK { throw error(code) }
    }
  }
}
