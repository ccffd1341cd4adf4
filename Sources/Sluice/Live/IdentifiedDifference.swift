/// The difference between two lists of elements with identities, such as the rows of a list on a screen.
///
/// ```swift
/// books.onUpdate { update in
///   let difference = update.difference
///   table.performBatchUpdates {
///     update()
///     table.deleteRows(at: difference.removals)
///     table.insertRows(at: difference.insertions)
///     for move in difference.moves { table.moveRow(at: move.from, to: move.to) }
///   }
///   table.reloadRows(at: difference.updates)
/// }
/// ```
///
/// Offsets count from zero. If several elements of a list have the same identity, the first one in the old list
/// corresponds to the first one in the new list, the second one to the second one, and so on.
public struct IdentifiedDifference: Hashable, Sendable {
  /// An element that has a different position relative to the elements that did not move.
  public struct Move: Hashable, Sendable {
    /// The offset in the old list.
    public let from: Int
    /// The offset in the new list.
    public let to: Int
  }

  /// The offsets in the old list of the elements that are not in the new list, in ascending order.
  public let removals: [Int]
  /// The offsets in the new list of the elements that were not in the old list, in ascending order.
  public let insertions: [Int]
  /// The elements that have moved, as few as possible, in the order of the new list.
  public let moves: [Move]
  /// The offsets in the new list of the elements that were in the old list with another content, in ascending
  /// order.
  public let updates: [Int]

  /// Whether the lists are the same.
  public var isEmpty: Bool {
    removals.isEmpty && insertions.isEmpty && moves.isEmpty && updates.isEmpty
  }

  /// Compares two lists, in O(*n* log *n*) time.
  public init<Element: Identifiable & Equatable>(
    from old: some Collection<Element>, to new: some Collection<Element>
  ) {
    let old = Array(old)
    // The offsets of each identity in descending order, so that the last one is the first that is not used yet.
    var offsets: [Element.ID: [Int]] = [:]
    for (offset, element) in old.enumerated().reversed() {
      offsets[element.id, default: []].append(offset)
    }
    var insertions: [Int] = []
    var updates: [Int] = []
    var kept: [Move] = []
    for (offset, element) in new.enumerated() {
      guard let from = offsets[element.id]?.popLast() else {
        insertions.append(offset)
        continue
      }
      kept.append(Move(from: from, to: offset))
      if old[from] != element { updates.append(offset) }
    }
    let stable = Self.longestIncrease(kept.map(\.from))
    removals = offsets.values.joined().sorted()
    moves = kept.indices.filter { !stable.contains($0) }.map { kept[$0] }
    self.insertions = insertions
    self.updates = updates
  }

  /// Returns the positions of a longest increasing subsequence.
  private static func longestIncrease(_ values: [Int]) -> Set<Int> {
    // For each length, the position of the smallest value at which a subsequence of that length ends.
    var ends: [Int] = []
    var previous = Array(repeating: -1, count: values.count)
    for (position, value) in values.enumerated() {
      var (low, high) = (0, ends.count)
      while low < high {
        let middle = (low + high) / 2
        if values[ends[middle]] < value { low = middle + 1 } else { high = middle }
      }
      if low > 0 { previous[position] = ends[low - 1] }
      if low == ends.count { ends.append(position) } else { ends[low] = position }
    }
    var result: Set<Int> = []
    var position = ends.last ?? -1
    while position >= 0 {
      result.insert(position)
      position = previous[position]
    }
    return result
  }
}
