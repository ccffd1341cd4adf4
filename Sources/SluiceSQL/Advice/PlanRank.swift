import Sluice

/// A rank of query plans, in which a plan with less avoidable work is less.
struct PlanRank: Comparable {
  /// The steps that scan a table.
  let scans: [String]
  /// The steps that build a temporary index or B-tree.
  let builds: [String]
  /// The number of searches that compare no column for equality, so that they can find most of the rows.
  private let ranges: Int
  /// The number of temporary B-trees that sort completely, not only rows that are equal in an index.
  private let sorts: Int
  /// The number of comparisons with the columns of indexes.
  private let comparisons: Int

  init(_ plan: QueryPlan) {
    let details = plan.details
    // A search for the minimum or maximum without an index reads the whole table.
    scans =
      plan.fullScans.map(\.detail)
      + details.filter { $0.hasPrefix("SEARCH ") && !$0.contains(" USING ") }
    builds = details.filter { $0.hasPrefix("USE TEMP B-TREE FOR ") || $0.isAutomatic }
    sorts =
      builds.filter { !$0.contains(" FOR RIGHT PART ") && !$0.contains(" FOR LAST ") }.count
    let searches = details.filter { $0.hasPrefix("SEARCH ") && !$0.isAutomatic }
    ranges = searches.count { $0.contains("?") && !$0.contains("=?") }
    comparisons = searches.joined().count { $0 == "?" }
  }

  /// The numbers of steps that an index could avoid, the most expensive first.
  var needs: [Int] { [scans.count, builds.count] }

  /// Returns whether another plan needs fewer such steps, or compares for equality where this one searches a range.
  func isSurpassed(by other: PlanRank) -> Bool {
    (other.needs + [other.ranges]).lexicographicallyPrecedes(needs + [ranges])
  }

  static func < (first: PlanRank, second: PlanRank) -> Bool {
    first.all.lexicographicallyPrecedes(second.all)
  }

  private var all: [Int] { needs + [ranges, sorts, -comparisons] }
}

extension QueryPlan {
  /// The text of each step, depth first.
  var details: [String] { nodes.flatMap(\.details) }

  /// The names of the indexes that the plan uses.
  var indexNames: Set<String> { Set(details.compactMap(\.indexName)) }
}

extension QueryPlan.Node {
  fileprivate var details: [String] { [detail] + children.flatMap(\.details) }
}

extension String {
  fileprivate var isAutomatic: Bool { contains(" USING AUTOMATIC ") }

  /// The name of the index that a step of a plan uses; nil if there is none.
  var indexName: String? {
    for words in ["USING INDEX ", "USING COVERING INDEX "] {
      guard let start = firstRange(of: words)?.upperBound else { continue }
      let ends = [" (", " LEFT-JOIN", " FOR IN-OPERATOR"].compactMap {
        self[start...].firstRange(of: $0)?.lowerBound
      }
      return String(self[start..<(ends.min() ?? endIndex)])
    }
    return nil
  }
}
