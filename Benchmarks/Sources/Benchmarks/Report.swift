import CTwins
import Foundation

/// The printed report: a table at the end or, as JSON, one line for each finding as soon as it is known.
struct Report {
  private let options: Options
  private var findings: [Finding] = []

  init(_ options: Options) { self.options = options }

  /// Prints the conditions that apply to all figures, with sizes divided by `scale`.
  func begin(_ measure: String, scale: Int) {
    guard !options.isJSON else { return }
    print(
      "Sluice compared with the C API of SQLite \(SQLite.version), in memory,",
      "\(SQLite.mutexMode) on both sides.\n\(measure)")
    if !options.operations.isEmpty { print("Rows, calls or queries: \(sizes(scale)).") }
    print()
  }

  mutating func add(_ finding: Finding) throws {
    findings.append(finding)
    guard options.isJSON else { return }
    Progress.clear()
    print(try finding.json)
    // Flush, so that a program that reads the lines gets each of them immediately.
    fflush(nil)
  }

  func end() {
    Progress.clear()
    if !options.isJSON { print(Table(findings: findings)) }
  }

  /// Returns the sizes of the workloads, such as "200000 for 1 2 3; 20000 for 7".
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

/// The SQLite library that both sides call.
enum SQLite {
  static let version = unsafe String(cString: sqlite3_libversion())
  static let mutexMode = "NOMUTEX"
}
