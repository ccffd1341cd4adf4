/// A graph of objects that use each other by name, each with a weight.
struct NestingGraph<Name: Hashable> {
  private var titles: [String] = []
  private var weights: [Int] = []
  private var uses: [[Int]] = []
  private var names: [Name: Int] = [:]

  /// Adds an object, and returns its number.
  mutating func add(_ title: String, weight: Int) -> Int {
    titles.append(title)
    weights.append(weight)
    uses.append([])
    return titles.count - 1
  }

  /// Returns the number of a name, through which objects reach all those that have this name.
  mutating func name(_ name: Name) -> Int {
    if let number = names[name] { return number }
    let number = add("", weight: 0)
    names[name] = number
    return number
  }

  /// Records that an object uses a name or another object, or that a name belongs to an object.
  mutating func connect(_ user: Int, to used: Int) { uses[user].append(used) }

  /// The title of the object at which the path with the greatest sum of weights begins, and this sum.
  ///
  /// The objects of a cycle are all on the path, because any of them may use all others before it repeats.
  var heaviestPath: (title: String, weight: Int)? {
    var search = CycleSearch(uses)
    var sums = [Int](repeating: 0, count: weights.count)
    var heaviest: (title: String, weight: Int)?
    // Each cycle is found after everything that it uses.
    search.forEachCycle { cycle in
      let own = cycle.reduce(0) { $0 + weights[$1] }
      let used = cycle.lazy.flatMap { uses[$0] }.map { sums[$0] }.max() ?? 0
      for number in cycle { sums[number] = own + used }
      guard own > 0, own + used > heaviest?.weight ?? 0 else { return }
      let title = cycle.lazy.map { titles[$0] }.first { !$0.isEmpty } ?? ""
      heaviest = (title, own + used)
    }
    return heaviest
  }
}

/// Tarjan's search for the cycles of a graph, without recursion.
private struct CycleSearch {
  private let uses: [[Int]]
  /// The order in which the search reached each object; 0 before it did.
  private var order: [Int]
  /// The earliest object that can be reached from each object, by its order.
  private var earliest: [Int]
  private var isOpen: [Bool]
  private var open: [Int] = []
  private var reached = 0

  init(_ uses: [[Int]]) {
    self.uses = uses
    order = Array(repeating: 0, count: uses.count)
    earliest = order
    isOpen = Array(repeating: false, count: uses.count)
  }

  /// Calls `body` with the objects of each cycle; an object outside all cycles is a cycle of its own.
  mutating func forEachCycle(_ body: ([Int]) -> Void) {
    for start in uses.indices where order[start] == 0 {
      reach(start)
      var path = [(number: start, next: 0)]
      while let (number, next) = path.last {
        if next < uses[number].count {
          path[path.count - 1].next += 1
          let used = uses[number][next]
          if order[used] == 0 {
            reach(used)
            path.append((used, 0))
          } else if isOpen[used] {
            earliest[number] = min(earliest[number], order[used])
          }
          continue
        }
        path.removeLast()
        if let user = path.last?.number {
          earliest[user] = min(earliest[user], earliest[number])
        }
        if earliest[number] == order[number] { body(close(number)) }
      }
    }
  }

  private mutating func reach(_ number: Int) {
    reached += 1
    order[number] = reached
    earliest[number] = reached
    isOpen[number] = true
    open.append(number)
  }

  /// Returns the objects of the cycle that the search entered at `first`.
  private mutating func close(_ first: Int) -> [Int] {
    let start = open.lastIndex(of: first)!
    let cycle = Array(open[start...])
    open.removeSubrange(start...)
    for number in cycle { isOpen[number] = false }
    return cycle
  }
}
