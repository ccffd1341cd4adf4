import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.hooks)) struct `the log` {
  @Test func `onLog after SQLite starts receives log messages, or throws misuse in older versions`()
    async throws
  {
    try Connection().close()
    let (messages, heard) = AsyncStream.makeStream(of: String.self)
    let token: HookToken
    do {
      token = try SQLiteLibrary.onLog { heard.yield($0.message) }
    } catch SQLiteError.misuse {
      // Older versions of SQLite accept a log callback only before they start.
      return
    }
    defer { token.cancel() }
    try SQLiteLibrary.log(.warning, "It is never too late")
    #expect(await messages.contains("It is never too late"))
  }

  @Test func `logging a message without a listener succeeds, and logging a NUL throws`()
    throws
  {
    try SQLiteLibrary.log(.warning, "100 % harmless %s %n")
    #expect(failure { try SQLiteLibrary.log(.warning, "a\0b") }?.code == .misuse)
  }
}
