import Foundation
import SluiceData
import SluiceTesting
import TestSupport
import Testing

#if canImport(FoundationXML)
  import FoundationXML
#endif

@Suite(.tags(.settings)) struct `the text of diagrams` {
  /// A diagram whose tables, columns and types have hostile names, and whose references connect neighbors.
  private static let hostile: SchemaDiagram = {
    let names = DiagramSchemas.hostileNames
    let tables = names.enumerated().map { index, name in
      SchemaDiagram.Table(
        name: name, kind: .allCases[index % 4],
        columns: [
          .init(name: name, type: name, isNotNull: true, isPrimaryKey: true),
          .init(name: "x\(name)", type: "INTEGER", isForeignKey: true, isUnique: true),
        ])
    }
    let references = zip(names, names.dropFirst()).map { name, next in
      SchemaDiagram.Reference(
        table: name, columns: ["x\(name)"], referencedTable: next, referencedColumns: [next],
        isUnique: false, isOptional: true)
    }
    return SchemaDiagram(tables: tables, references: references)
  }()

  @Test func `SVG with hostile names is well-formed, and contains no script and no reference`()
    throws
  {
    let svg = Self.hostile.svg
    let elements = try Elements(svg)
    #expect(
      elements.names == [
        "svg", "title", "style", "rect", "g", "path", "text", "circle",
      ])
    #expect(elements.attributes.isDisjoint(with: ["href", "xlink:href", "onclick", "src"]))
    #expect(!svg.contains("url(") && !svg.contains("@import"))
    #expect(svg.contains("prefers-color-scheme: dark"))
    // The full name of a shortened one is in a title.
    #expect(elements.texts.contains { $0.contains(String(repeating: "long", count: 75)) })
    #expect(elements.texts.contains { $0.contains("<script>alert(1)</script>") })
    #expect(!svg.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
  }

  @Test func `the texts of a table do not overlap`() throws {
    for seed in 0..<20 {
      let diagram = DiagramSchemas.random(tables: 8, seed: UInt64(seed))
      let layout = DiagramLayout(diagram)
      for text in try Elements(diagram.svg).placed where text.name != "note" {
        let width = (text.content.count * 74 + 9) / 10
        let box = layout.boxes.first { box in
          (box.x...box.x + box.width).contains(text.x)
            && (box.y...box.y + box.height).contains(text.y)
        }
        #expect(box.map { text.x + width + 8 <= $0.x + $0.width } == true, "\(text)")
      }
    }
  }

  @Test func `Mermaid with hostile names has one statement per line`() throws {
    let lines = Self.hostile.mermaid.split(separator: "\n", omittingEmptySubsequences: false)
    let name = "\"[^\"%\\\\\\r\\n]+\""
    let word = "[A-Za-z_\\u00c0-\\uffff][A-Za-z0-9_\\[\\]()\\-\\u00c0-\\uffff]*"
    let forms = [
      "erDiagram", "  \(name) \\{", "  \\}", "",
      "    \(word) \(word)( (PK|FK|UK)(, (PK|FK|UK))*)?( \(name))?",
      "  \(name) (\\|o|\\|\\|)--(o\\||o\\{) \(name) : \(name)",
    ]
    let pattern = try Regex("^(\(forms.joined(separator: "|")))$")
    for line in lines { #expect(line.wholeMatch(of: pattern) != nil, "\(line)") }
    #expect(
      !lines.contains { $0.lowercased().contains(try! Regex("direction\\s+(tb|bt|rl|lr)")) })
    let names = lines.filter { $0.hasSuffix("{") }
    #expect(names.count == DiagramSchemas.hostileNames.count)
  }

  @Test func `a Mermaid column whose name or type is no word has both in a comment`() {
    let diagram = SchemaDiagram(
      tables: [
        .init(
          name: "t", kind: .table,
          columns: [
            .init(name: "id", type: "INTEGER", isNotNull: true, isPrimaryKey: true),
            .init(name: "two words", type: "DECIMAL(10, 2)", isNotNull: true, isForeignKey: true),
            .init(name: "pk", type: nil, isNotNull: false, isUnique: true),
          ])
      ], references: [])
    #expect(
      diagram.mermaid == """
        erDiagram
          "t" {
            INTEGER id PK
            DECIMAL(10__2) two_words FK "two words, DECIMAL(10, 2), NOT NULL"
            any _pk UK "pk"
          }

        """)
  }

  @Test func `DOT with hostile names has well-formed labels and quotes nothing else`() throws {
    let dot = Self.hostile.dot
    let label = #/label=<(.*)>\];/#
    var count = 0
    for line in dot.split(separator: "\n") where line.contains("label=") {
      let found = try #require(line.firstMatch(of: label))
      _ = try Elements(String(found.1))
      count += 1
    }
    #expect(count == DiagramSchemas.hostileNames.count)
    // Names are only in labels: nodes and ports have numbers.
    for line in dot.split(separator: "\n") where line.contains("->") {
      #expect(
        line.wholeMatch(
          of:
            #/  t\d+:(c\d+|h):w -> t\d+:(c\d+|h):e \[dir=both, arrowtail=(crow|tee), arrowhead=normal\];/#
        ) != nil, "\(line)")
    }
  }
}

/// The elements of an XML document.
private final class Elements: NSObject, XMLParserDelegate {
  private(set) var names: Set<String> = []
  private(set) var attributes: Set<String> = []
  private(set) var texts: [String] = []
  /// The text elements with their positions, without their titles.
  private(set) var placed: [(name: String, x: Int, y: Int, content: String)] = []
  private var open: (name: String, x: Int, y: Int)?
  private var isInTitle = false
  private var text = ""

  init(_ xml: String) throws {
    super.init()
    let parser = XMLParser(data: Data(xml.utf8))
    parser.delegate = self
    guard parser.parse() else { throw ForeignError("\(parser.parserError as Any): \(xml)") }
  }

  func parser(
    _: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
    attributes: [String: String]
  ) {
    names.insert(name)
    self.attributes.formUnion(attributes.keys)
    if name == "text", let x = attributes["x"].flatMap(Int.init),
      let y = attributes["y"].flatMap(Int.init)
    {
      open = (attributes["class"] ?? "", x, y)
      text = ""
    }
    if name == "title" {
      finishText()
      isInTitle = true
      text = ""
    }
  }

  func parser(_: XMLParser, foundCharacters string: String) { text += string }

  func parser(
    _: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
  ) {
    texts.append(text)
    if name == "text" { finishText() }
    if name == "title" { isInTitle = false }
  }

  private func finishText() {
    guard let (name, x, y) = open else { return }
    placed.append((name, x, y, text))
    open = nil
  }
}
