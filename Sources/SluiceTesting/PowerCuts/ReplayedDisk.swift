/// The content of a disk after some of the recorded changes, and the changes that are not synced yet.
struct ReplayedDisk {
  private struct File {
    var content: [UInt8]
    /// The writes and truncations that are not synced yet.
    var pending: [DiskEvent] = []
  }

  private var files: [Int: File] = [:]
  private var paths: [String: Int] = [:]
  private(set) var marks = 0

  /// Whether all changes are synced.
  var isSynced: Bool { paths.values.allSatisfy { files[$0]?.pending.isEmpty ?? true } }

  mutating func play(_ event: DiskEvent) {
    switch event {
    case .make(let path, let number, let content):
      paths[path] = number
      files[number] = File(content: content)
    case .write(let number, _, _), .truncate(let number, _):
      files[number]?.pending.append(event)
    case .sync(let number):
      guard let pending = files[number]?.pending else { return }
      for event in pending { files[number]?.content.apply(event) }
      files[number]?.pending = []
    case .delete(let path):
      paths.removeValue(forKey: path).map { files[$0] = nil }
    case .mark: marks += 1
    }
  }

  /// Returns the files after a power cut, with this fate for the changes that are not synced yet.
  func files(after fate: PowerCutFate, _ random: inout SeededGenerator) -> [String: [UInt8]] {
    var result: [String: [UInt8]] = [:]
    // Use a fixed order, so that the same seed produces the same states.
    for (path, number) in paths.sorted(by: { $0.key < $1.key }) {
      guard let file = files[number] else { continue }
      var content = file.content
      for (index, event) in file.pending.enumerated() {
        switch fate {
        case .kept: content.apply(event)
        case .lost: continue
        case .lastTorn where index < file.pending.count - 1: content.apply(event)
        case .lastTorn: content.tear(event, &random)
        case .random:
          switch Int.random(in: 0..<3, using: &random) {
          case 0: content.apply(event)
          case 1: content.tear(event, &random)
          default: continue
          }
        }
      }
      result[path] = content
    }
    return result
  }
}

extension [UInt8] {
  fileprivate mutating func apply(_ event: DiskEvent) {
    switch event {
    case .write(_, let offset, let bytes): write(bytes, at: offset)
    case .truncate(_, let size): removeLast(Swift.max(0, count - size))
    default: break
    }
  }

  /// Applies a random selection of a write's sectors of 512 bytes; applies or ignores a truncation at random.
  fileprivate mutating func tear(_ event: DiskEvent, _ random: inout SeededGenerator) {
    guard case .write(_, let offset, let bytes) = event else {
      if Bool.random(using: &random) { apply(event) }
      return
    }
    var start = 0
    while start < bytes.count {
      let end = Swift.min(bytes.count, start + 512 - (offset + start) % 512)
      if Bool.random(using: &random) { write([UInt8](bytes[start..<end]), at: offset + start) }
      start = end
    }
  }
}
