/// The layers of tables: each table is to the right of the tables that it references, except in cycles.
struct DiagramLayers {
  /// The tables.
  let tables: [Int]
  /// The layer of each table.
  private(set) var layer: [Int: Int] = [:]
  /// The number of layers.
  private(set) var count = 1

  init(_ tables: [Int], heights: [Int], widths: [Int], edges: [(Int, Int)]) {
    self.tables = tables
    let height = Dictionary(uniqueKeysWithValues: zip(tables, heights))
    let parents = Self.withoutCycles(tables, edges)
    var children: [Int: [Int]] = [:]
    for (table, found) in parents {
      for parent in found { children[parent, default: []].append(table) }
    }
    let order = Self.parentsFirst(tables, parents)
    let area = zip(heights, widths).reduce(0.0) { $0 + Double(($1.0 + 40) * ($1.1 + 110)) }
    let limit = max(heights.max() ?? 0, Int((area / 1.5).squareRoot()))
    var used: [Int: Int] = [:]
    for table in order {
      var place = (parents[table] ?? []).map { (layer[$0] ?? 0) + 1 }.max() ?? 0
      let own = (height[table] ?? 0) + 40
      // A layer with too many tables would make the diagram too high.
      while used[place, default: 0] > 0, used[place, default: 0] + own > limit { place += 1 }
      used[place, default: 0] += own
      layer[table] = place
    }
    for table in order.reversed() {
      // A table with more children than parents has shorter lines next to its children.
      let own = (height[table] ?? 0) + 40
      guard let current = layer[table], let found = children[table],
        found.count > (parents[table] ?? []).count,
        let last = found.compactMap({ layer[$0] }).min().map({ $0 - 1 }), last > current,
        let place = (current + 1...last).reversed().first(where: {
          used[$0, default: 0] + own <= limit
        })
      else { continue }
      used[current, default: 0] -= own
      used[place, default: 0] += own
      layer[table] = place
    }
    let numbers = Set(layer.values).sorted()
    let dense = Dictionary(uniqueKeysWithValues: numbers.enumerated().map { ($1, $0) })
    layer = layer.mapValues { dense[$0] ?? 0 }
    count = max(1, numbers.count)
  }

  /// Returns the tables that each table is to the right of; a reference that closes a cycle is reversed.
  private static func withoutCycles(_ tables: [Int], _ edges: [(Int, Int)]) -> [Int: Set<Int>] {
    var targets: [Int: [Int]] = [:]
    var incoming: [Int: Int] = [:]
    for (table, referenced) in edges where table != referenced {
      if targets[table]?.contains(referenced) == true { continue }
      targets[table, default: []].append(referenced)
      incoming[referenced, default: 0] += 1
    }
    var parents: [Int: Set<Int>] = [:]
    var state: [Int: Bool] = [:]  // true while a table is on the path, false when it is done
    // Beginning with the tables that few others reference reverses few references.
    let starts = tables.sorted { (incoming[$0] ?? 0, $0) < (incoming[$1] ?? 0, $1) }
    for start in starts where state[start] == nil {
      // An explicit stack, because a chain of references can be longer than the stack of a thread allows.
      var path: [(table: Int, next: Int)] = [(start, 0)]
      state[start] = true
      while let (table, next) = path.last {
        guard let target = targets[table].flatMap({ next < $0.count ? $0[next] : nil }) else {
          state[table] = false
          path.removeLast()
          continue
        }
        path[path.count - 1].next += 1
        if state[target] == true {
          parents[target, default: []].insert(table)
        } else {
          parents[table, default: []].insert(target)
          if state[target] == nil {
            state[target] = true
            path.append((target, 0))
          }
        }
      }
    }
    return parents
  }

  /// Returns the tables sorted by the length of their longest chain of parents.
  private static func parentsFirst(_ tables: [Int], _ parents: [Int: Set<Int>]) -> [Int] {
    var depth: [Int: Int] = [:]
    var missing = parents.mapValues(\.count)
    var children: [Int: [Int]] = [:]
    for table in tables {
      for parent in parents[table] ?? [] { children[parent, default: []].append(table) }
    }
    var ready = tables.filter { missing[$0, default: 0] == 0 }
    while let table = ready.popLast() {
      let own = depth[table] ?? 0
      depth[table] = own
      for child in children[table] ?? [] {
        depth[child] = max(depth[child] ?? 0, own + 1)
        missing[child, default: 0] -= 1
        if missing[child] == 0 { ready.append(child) }
      }
    }
    return tables.sorted { (depth[$0] ?? 0, $0) < (depth[$1] ?? 0, $1) }
  }
}
