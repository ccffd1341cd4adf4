import SluiceCore
import SluiceData
import TestSupport
import Testing

@Suite(.tags(.settings)) struct `the layout of diagrams` {
  @Test func `the boxes and lines of a schema do not collide`() throws {
    let connection = try Connection()
    try connection.execute(sql: DiagramSchemas.shop)
    check(try connection.schemaDiagram(includesViews: true))
  }

  @Test(arguments: 0..<rounds(10, long: 2_000))
  func `the boxes and lines of random schemas do not collide`(seed: Int) {
    check(DiagramSchemas.random(tables: 1 + seed % 40, seed: UInt64(seed)))
  }

  @Test func `a chain of 400 tables and a star of 400 tables have a layout`() {
    for isChain in [true, false] {
      let tables = (0..<400).map { number in
        SchemaDiagram.Table(
          name: "t\(number)", kind: .table, columns: [.init(name: "id"), .init(name: "parent")])
      }
      let references = (1..<400).map { number in
        SchemaDiagram.Reference(
          table: "t\(number)", columns: ["parent"],
          referencedTable: isChain ? "t\(number - 1)" : "t0",
          referencedColumns: ["id"], isUnique: false, isOptional: true)
      }
      let layout = DiagramLayout(SchemaDiagram(tables: tables, references: references))
      #expect(layout.boxes.count == 400)
      #expect(layout.lines.count == 399)
    }
  }

  @Test func `references to the same column share a line`() throws {
    let connection = try Connection()
    try connection.execute(
      sql: """
        CREATE TABLE a(id INTEGER PRIMARY KEY);
        CREATE TABLE b(a INTEGER REFERENCES a); CREATE TABLE c(a INTEGER REFERENCES a);
        """)
    let layout = DiagramLayout(try connection.schemaDiagram())
    #expect(layout.lines.count == 2)
    #expect(layout.lines[0].points.last == layout.lines[1].points.last)
    // A table is to the right of the table that it references.
    #expect(layout.boxes[1].x > layout.boxes[0].x + layout.boxes[0].width)
    #expect(layout.boxes[1].x == layout.boxes[2].x)
  }

  private func check(_ diagram: SchemaDiagram) {
    let layout = DiagramLayout(diagram)
    let boxes = layout.boxes
    for (index, box) in boxes.enumerated() {
      #expect(box.x >= 0 && box.y >= 0)
      #expect(box.x + box.width <= layout.width && box.y + box.height <= layout.height)
      for other in boxes[(index + 1)...] {
        let isApart =
          box.x + box.width + 10 <= other.x || other.x + other.width + 10 <= box.x
          || box.y + box.height + 10 <= other.y || other.y + other.height + 10 <= box.y
        #expect(isApart, "\(box) and \(other)")
      }
    }
    let places = diagram.places()
    #expect(
      layout.lines.count == places.reduce(0) { $0 + $1.reference.columns.count })
    var segments: [Track: [(range: Range<Int>, net: [String])]] = [:]
    for line in layout.lines {
      let (reference, table, referenced) = places[line.reference]
      let isForward = boxes[table].x >= boxes[referenced].x
      let net = [reference.referencedTable, "\(isForward)"] + reference.referencedColumns
      #expect(line.points.first.map { isAtSide($0, of: boxes[table]) } == true)
      #expect(line.points.last.map { isAtSide($0, of: boxes[referenced]) } == true)
      for (first, second) in zip(line.points, line.points.dropFirst()) {
        #expect(first.x == second.x || first.y == second.y)
        #expect(!boxes.contains { crosses(first, second, $0) }, "\(reference)")
        let isVertical = first.x == second.x
        let track = Track(isVertical: isVertical, position: isVertical ? first.x : first.y)
        let ends = isVertical ? [first.y, second.y] : [first.x, second.x]
        segments[track, default: []].append((ends.min()!..<ends.max()!, net))
      }
    }
    // Only the lines of one net run on top of each other.
    for found in segments.values {
      let sorted = found.sorted { $0.range.lowerBound < $1.range.lowerBound }
      for (index, segment) in sorted.enumerated() {
        for other in sorted[(index + 1)...] {
          guard other.range.lowerBound < segment.range.upperBound else { break }
          #expect(segment.net == other.net || !segment.range.overlaps(other.range))
        }
      }
    }
    #expect(DiagramLayout(diagram).lines == layout.lines)
  }

  /// A vertical or horizontal line of the picture.
  private struct Track: Hashable {
    let isVertical: Bool
    let position: Int
  }

  private func isAtSide(_ point: DiagramLayout.Point, of box: DiagramLayout.Box) -> Bool {
    (point.x == box.x || point.x == box.x + box.width)
      && (box.y...box.y + box.height).contains(point.y)
  }

  /// Returns whether a horizontal or vertical line enters a box.
  private func crosses(
    _ first: DiagramLayout.Point, _ second: DiagramLayout.Point, _ box: DiagramLayout.Box
  ) -> Bool {
    min(first.x, second.x) < box.x + box.width && max(first.x, second.x) > box.x
      && min(first.y, second.y) < box.y + box.height && max(first.y, second.y) > box.y
  }
}
