import SluiceCore
import Testing

/// Expects that `body` throws an ``SQLiteError`` with a code.
func expect(
  _ code: ResultCode, at location: SourceLocation = #_sourceLocation,
  _ body: () async throws -> Void
) async {
  do {
    try await body()
    Issue.record("No error was thrown", sourceLocation: location)
  } catch {
    #expect((error as? SQLiteError)?.code.primary == code, "\(error)", sourceLocation: location)
  }
}
