import Foundation

/// The standard input.
enum Input {
  /// Returns the lines of the standard input, which a thread reads because reading blocks.
  static func lines() -> AsyncStream<String> {
    let (lines, continuation) = AsyncStream.makeStream(of: String.self)
    Thread.detachNewThread {
      while let line = readLine() { continuation.yield(line) }
      continuation.finish()
    }
    return lines
  }
}
