import Foundation

/// Calls `body` on a thread that may block.
package func blocking<T: Sendable, E>(
  _ body: @escaping @Sendable () throws(E) -> T
) async throws(E) -> T {
  let result = await withCheckedContinuation { continuation in
    Thread { continuation.resume(returning: Result(catching: body)) }.start()
  }
  return try result.get()
}
