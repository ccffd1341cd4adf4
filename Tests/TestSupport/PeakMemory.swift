import Foundation
import Testing

#if os(Linux)
  /// Returns the peak resident memory of the process so far, in bytes.
  package func peakMemory() throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
    return try #require(Int(line.filter(\.isNumber))) * 1024
  }
#endif
