import SluiceCore
import Testing

@Suite struct `J1 the log` {
  @Test func `it is too late to ask for it once SQLite has started`() throws {
    try Connection().close()
    let error = refusal { try SQLiteLibrary.onLog { _ in } }
    #expect(error?.code == .misuse)
  }

  @Test func `a message without a listener is lost, and one with a NUL refused`() throws {
    try SQLiteLibrary.log(.warning, "100 % harmless %s %n")
    #expect(refusal { try SQLiteLibrary.log(.warning, "a\0b") }?.code == .misuse)
  }
}
