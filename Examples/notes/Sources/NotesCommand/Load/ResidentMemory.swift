import Foundation

/// The resident memory of this process.
struct ResidentMemory {
  let bytes: Int

  /// Measures the memory; the result is nil on systems other than Linux.
  init?() {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8),
      let pages = text.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
    else { return nil }
    bytes = pages * 4096
  }

  var megabytes: Int { bytes / 1_000_000 }

  /// Whether the memory has not grown by more than a tenth, or by 16 MB, since an earlier time.
  func isFlat(since start: ResidentMemory) -> Bool {
    bytes <= max(start.bytes + start.bytes / 10, start.bytes + 16_000_000)
  }
}
