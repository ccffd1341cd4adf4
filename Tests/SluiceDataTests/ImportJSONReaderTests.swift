import Foundation
import Sluice
import SluiceData
import TestSupport
import Testing

@Suite(.tags(.coding)) struct `JSON reader` {
  private struct Item: Codable, Equatable {
    var name: String
    var tags: [String]?
  }

  private static let text = """
    {"name": "a]},\\"{[", "tags": ["x", "\\\\"]}
     {"name": "é\\u00e9"}


    {"name": "日本", "tags": []}
    """
  private static let array =
    " [\n" + text.split(separator: "\n").joined(separator: ",\n") + "\n ]\n"
  private static let items = [
    Item(name: "a]},\"{[", tags: ["x", "\\"]), Item(name: "éé"), Item(name: "日本", tags: []),
  ]

  @Test func `every position can be the end of a chunk`() throws {
    for (text, structure) in [(Self.text, JSONReader.Structure.lines), (Self.array, .array)] {
      let bytes = Array(text.utf8)
      for split in 0...bytes.count {
        let reader = JSONReader(chunks: [bytes[..<split], bytes[split...]], structure)
        #expect(try reader.decode(Item.self) == Self.items, "split at \(split)")
      }
      #expect(try JSONReader(chunks: bytes.map { [$0] }, structure).decode(Item.self) == Self.items)
    }
  }

  @Test func `the extension of a file selects its structure`() throws {
    let folder = try TestFolder()
    for (name, text) in [("a.json", Self.array), ("a.jsonl", Self.text), ("a.txt", Self.text)] {
      try folder.write(Array("\u{feff}".utf8) + Array(text.utf8), to: name)
      let reader = try JSONReader(URL(filePath: folder.file(name)))
      #expect(try reader.decode(Item.self) == Self.items)
    }
    #expect(failure { try JSONReader(URL(filePath: folder.file("b.json"))) }?.code == .cantOpen)
  }

  @Test func `a value that cannot be decoded throws with its line, and the next can be read`()
    throws
  {
    let reader = JSONReader(
      chunks: [Array("\n{\"name\": \"a\"}\n\n{\"nam\": 1}\n{\n{\"name\": \"b\"}".utf8)], .lines)
    #expect(try reader.next(Item.self) == Item(name: "a"))
    for line in [4, 5] {
      let error = #expect(throws: DecodingError.self) { try reader.next(Item.self) }
      #expect(error.map { "\($0)".contains("Line \(line): ") } == true)
    }
    #expect(try reader.next(Item.self) == Item(name: "b"))
    #expect(try reader.next(Item.self) == nil)
  }

  @Test(arguments: [
    ("", "Line 1: The data is empty"),
    (
      "\n{}",
      "Line 2: The data does not begin with [, so it is not an array of objects: take the array out of the object; if each line is an object, the format is jsonLines (jsonl)"
    ),
    ("a,b\n1,2", "Line 1: The data does not begin with [, so it is not an array of objects"),
    (
      "[{\"name\": \"a\"},\n{\"name\": \"",
      "Line 2: The data ends inside the array, whose element on line 2 is not complete"
    ),
    ("[{\"name\": \"a\"}]\n]", "Line 2: There is text after the array"),
    ("[{\"name\": \"a\"}}]", "Line 1: There is a } without {"),
    ("[", "Line 1: The data ends inside the array, whose element on line 1 is not complete"),
  ])
  func `an array that is not complete throws`(_ text: String, _ message: String) throws {
    let error = failure {
      try JSONReader(chunks: [Array(text.utf8)], .array).decode(Item.self)
    }
    #expect(error?.code == .mismatch)
    #expect(error?.message == message)
  }

  @Test func `an empty array has no elements, and a missing element is an error`() throws {
    #expect(try JSONReader(chunks: [Array("[ ]".utf8)], .array).decode(Item.self).isEmpty)
    #expect(try JSONReader(chunks: [[UInt8]](), .lines).decode(Item.self).isEmpty)
    for text in ["[1,]", "[,1]", "[1,,2]"] {
      #expect(throws: DecodingError.self) {
        try JSONReader(chunks: [Array(text.utf8)], .array).decode(Int.self)
      }
    }
  }
}
