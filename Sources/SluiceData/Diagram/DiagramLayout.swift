/// The geometry of a diagram: the boxes of its tables, and the lines of its references.
///
/// Tables are in layers from left to right, each to the right of the tables that it references. Lines run in the
/// gaps between the layers, and cross a layer only in lanes that are kept free of boxes.
package struct DiagramLayout {
  /// A point; y grows downwards.
  package struct Point: Hashable {
    package var x: Int
    package var y: Int
  }

  /// The rectangle of a table.
  package struct Box: Hashable {
    package var x: Int
    package var y: Int
    package let width: Int
    package let height: Int
  }

  /// The line between a referencing and a referenced column, from box to box.
  package struct Line: Hashable {
    /// The index of the reference in ``SchemaDiagram/places()``.
    package let reference: Int
    package var points: [Point]
  }

  /// The boxes, in the order of the tables.
  package private(set) var boxes: [Box]
  package private(set) var lines: [Line] = []
  package private(set) var width = 0
  package private(set) var height = 0

  static let row = 20
  static let head = 40
  static let margin = 20

  package init(_ diagram: SchemaDiagram) {
    boxes = diagram.tables.map(Self.box)
    let places = diagram.places()
    let groups = Self.groups(diagram.tables.count, places.map { ($0.table, $0.referenced) })
    var parts = groups.map { group in
      LayeredGroup(group, boxes, diagram.tables, places)
    }
    pack(&parts)
  }

  /// Returns the box of a table at the origin.
  private static func box(_ table: SchemaDiagram.Table) -> Box {
    let columns = TableCells(table)
    return Box(
      x: 0, y: 0, width: columns.width,
      height: head + table.columns.count * row + (table.columns.isEmpty ? -6 : 6))
  }

  /// Returns the sets of tables that references connect, the largest first.
  private static func groups(_ count: Int, _ edges: [(Int, Int)]) -> [[Int]] {
    var leaders = Array(0..<count)
    func leader(_ table: Int) -> Int {
      var table = table
      while leaders[table] != table { table = leaders[table] }
      return table
    }
    for (table, referenced) in edges {
      let (first, second) = (leader(table), leader(referenced))
      leaders[max(first, second)] = min(first, second)
    }
    return Dictionary(grouping: 0..<count, by: leader).sorted { first, second in
      (second.value.count, first.key) < (first.value.count, second.key)
    }.map(\.value)
  }

  /// Places the groups in rows, the largest first.
  private mutating func pack(_ groups: inout [LayeredGroup]) {
    let area = groups.reduce(0.0) { $0 + Double(($1.width + 40) * ($1.height + 40)) }
    let limit = max(groups.map(\.width).max() ?? 0, Int((area * 1.6).squareRoot()))
    var (x, y, rowHeight) = (Self.margin, Self.margin, 0)
    for group in groups {
      if x > Self.margin, x + group.width > Self.margin + limit {
        (x, y, rowHeight) = (Self.margin, y + rowHeight + 40, 0)
      }
      for (table, box) in group.boxes {
        boxes[table] = box
        boxes[table].x += x
        boxes[table].y += y
      }
      lines += group.lines.map { line in
        Line(
          reference: line.reference,
          points: line.points.map { Point(x: $0.x + x, y: $0.y + y) })
      }
      width = max(width, x + group.width + Self.margin)
      rowHeight = max(rowHeight, group.height)
      x += group.width + 40
    }
    height = y + rowHeight + Self.margin
    lines.sort { $0.reference < $1.reference }
  }
}

/// The positions of the texts in the box of a table.
struct TableCells {
  static let nameLimit = 40
  static let typeLimit = 24

  /// The width of the box.
  let width: Int
  /// The distances from the left side of the box to the dots, the names and the types.
  let dots: Int
  let names: Int
  let types: Int

  init(_ table: SchemaDiagram.Table) {
    let columns = table.columns
    let marks = columns.map { Self.width(cells: $0.marks.joined(separator: " ").count) }.max() ?? 0
    dots = 12 + (marks == 0 ? 0 : marks + 10)
    names = dots + (columns.contains { $0.isNotNull != nil } ? 12 : 0)
    types = names + 16 + Self.width(columns.map(\.name), Self.nameLimit)
    let rows = types + Self.width(columns.map { $0.type ?? "" }, Self.typeLimit) + 12
    let title = Self.width([table.name], Self.nameLimit)
    let kind = table.kind.words
    width = max(rows, title + (kind.isEmpty ? 24 : 40 + Self.width(cells: kind.count)), 90)
  }

  private static func width(_ texts: [String], _ limit: Int) -> Int {
    width(cells: texts.map { $0.visible.shortened(to: limit).cells }.max() ?? 0)
  }

  /// The width of this many letters of 12 pixels in any monospaced font, rounded up.
  static func width(cells: Int) -> Int { (cells * 74 + 9) / 10 }
}
