import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.hooks)) struct `the log` {
  @Test func `it is too late to ask for it once SQLite has started, or else it is heard`()
    async throws
  {
    try Connection().close()
    let (messages, heard) = AsyncStream.makeStream(of: String.self)
    let token: HookToken
    do {
      token = try SQLiteLibrary.onLog { heard.yield($0.message) }
    } catch SQLiteError.misuse {
      // An older version takes it only before it starts.
      return
    }
    defer { token.cancel() }
    try SQLiteLibrary.log(.warning, "It is never too late")
    #expect(await messages.contains("It is never too late"))
  }

  @Test func `a message without a listener is lost, and one with a NUL refused`() throws {
    try SQLiteLibrary.log(.warning, "100 % harmless %s %n")
    #expect(failure { try SQLiteLibrary.log(.warning, "a\0b") }?.code == .misuse)
  }
}
