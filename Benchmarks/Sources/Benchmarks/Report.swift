import CTwins
import Foundation

/// What is printed: a table at the end, or a line of JSON for each finding at once.
struct Report {
  private let options: Options
  private var findings: [Finding] = []

  init(_ options: Options) { self.options = options }

  /// Says what every figure goes with; `scale` is what the sizes are divided by.
  func begin(_ measure: String, scale: Int) {
    guard !options.isJSON else { return }
    print(
      "Sluice against the plain C API of SQLite \(SQLite.version), in memory,",
      "\(SQLite.mutexMode) on both sides.\n\(measure)")
    if !options.operations.isEmpty { print("Rows, calls or queries: \(sizes(scale)).") }
    print()
  }

  mutating func add(_ finding: Finding) throws {
    findings.append(finding)
    guard options.isJSON else { return }
    Progress.clear()
    print(try finding.json)
    // Whoever reads the lines gets each of them at once.
    fflush(nil)
  }

  func end() {
    Progress.clear()
    if !options.isJSON { print(Table(findings: findings)) }
  }

  /// Such as "200000 for 1 2 3; 20000 for 7".
  private func sizes(_ scale: Int) -> String {
    Dictionary(grouping: options.operations, by: \.count).sorted { $0.key > $1.key }
      .map { count, operations in
        let workloads = operations.map(\.workload).reduce(into: [String]()) { workloads, next in
          if workloads.last != next { workloads.append(next) }
        }
        return "\(count / scale) for \(workloads.joined(separator: " "))"
      }.joined(separator: "; ")
  }
}

/// The library that both sides call.
enum SQLite {
  static let version = unsafe String(cString: sqlite3_libversion())
  static let mutexMode = "NOMUTEX"
}
