import SluiceCore

/// Chunks that are read twice: first a sample at their beginning, then all of them.
final class KeptChunks {
  private var chunks: ByteChunks
  private var kept: [[UInt8]] = []
  private var keptCount = 0
  private let limit: Int
  /// Whether the sample contains a row, so that it can end.
  var hasRow = false
  /// Whether the sample ended before the data.
  private(set) var isSampleCut = false

  init(_ chunks: ByteChunks, limit: Int) {
    self.chunks = chunks
    self.limit = limit
  }

  /// Returns the next chunk of the sample; throws at the end of the sample unless the data ends there too.
  ///
  /// An end without an error would make the last row of the sample look complete.
  func nextInSample() throws -> [UInt8]? {
    guard keptCount < limit || !hasRow else {
      isSampleCut = true
      throw SQLiteError(.tooBig, "The sample is larger than \(limit) bytes")
    }
    guard let chunk = try chunks.next() else { return nil }
    kept.append(chunk)
    keptCount += chunk.count
    return chunk
  }

  /// Returns the next chunk of all data.
  func next() throws -> [UInt8]? {
    kept.isEmpty ? try chunks.next() : kept.removeFirst()
  }
}
