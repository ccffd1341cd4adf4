package import SluiceCore
package import Testing

/// Returns the error that `body` throws, or nil if it returns.
///
/// An error of another type fails the test.
package func failure<Failure: Error, T: ~Copyable>(
  as type: Failure.Type, at location: SourceLocation = #_sourceLocation, _ body: () throws -> T
) -> Failure? {
  do { _ = try body() } catch let error as Failure {
    return error
  } catch {
    Issue.record(error, sourceLocation: location)
  }
  return nil
}

/// Returns the ``SQLiteError`` that `body` throws, or nil if it returns.
///
/// An error of another type fails the test.
package func failure<T: ~Copyable>(
  at location: SourceLocation = #_sourceLocation, _ body: () throws -> T
) -> SQLiteError? {
  failure(as: SQLiteError.self, at: location, body)
}

/// Returns the error that `body` throws, or nil if it returns.
///
/// An error of another type fails the test.
package func awaitedFailure<T>(
  at location: SourceLocation = #_sourceLocation, _ body: () async throws -> T
) async -> SQLiteError? {
  do { _ = try await body() } catch let error as SQLiteError {
    return error
  } catch {
    Issue.record(error, sourceLocation: location)
  }
  return nil
}

/// Returns the ``ForeignError`` that `body` throws, or nil if it returns.
///
/// Any other error fails the test.
package func foreignFailure<T>(
  at location: SourceLocation = #_sourceLocation, _ body: () throws -> T
) -> ForeignError? {
  failure(as: ForeignError.self, at: location, body)
}

/// Returns the error that `task` throws, or nil if it succeeds.
package func failure<T>(of task: Task<T, any Error>) async -> (any Error)? {
  switch await task.result {
  case .success: nil
  case .failure(let error): error
  }
}

/// An error that comes neither from SQLite nor from Sluice.
package struct ForeignError: Error, Hashable, CustomStringConvertible {
  package var description: String

  package init(_ description: String = "an error of another kind") {
    self.description = description
  }
}
