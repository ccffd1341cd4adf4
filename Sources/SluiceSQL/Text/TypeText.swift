/// A Swift type as written in an annotation: `Int`, `String?` or `Date as sqlite`.
package struct TypeText: Hashable, Sendable {
  /// The name of the type, without the question mark.
  let name: String
  let isOptional: Bool
  /// The name of a converter and a parameter; nil to use the defaults for the type.
  let representation: String?
  /// The representation of each element of an array: `[UUID as uuidString] as array`.
  let elementRepresentation: String?

  init(
    _ name: String, isOptional: Bool = false, as representation: String? = nil,
    elementsAs elementRepresentation: String? = nil
  ) {
    self.name = name
    self.isOptional = isOptional
    self.representation = representation
    self.elementRepresentation = elementRepresentation
  }

  /// Creates a type from its text; nil if the text is not a type.
  init?(parsing text: String) {
    var words = text.split(separator: " ", omittingEmptySubsequences: true).map(String.init)
    var representation: String?
    if let place = words.lastIndex(of: "as"), words.last?.hasSuffix("]") != true {
      guard place == words.count - 2, let last = words.last, last.isSwiftName else { return nil }
      representation = last
      words.removeLast(2)
    }
    var name = words.joined(separator: " ")
    let isOptional = name.hasSuffix("?")
    if isOptional { name.removeLast() }
    var element: TypeText?
    if words.contains("as") {
      // Only an array that SQLite reads as a table has elements with a representation.
      guard representation == "array", name.hasPrefix("["), name.hasSuffix("]"),
        let inner = TypeText(parsing: String(name.dropFirst().dropLast())),
        inner.elementRepresentation == nil
      else { return nil }
      element = inner
      name = "[\(inner.swift)]"
    }
    guard Self.isType(name.replacing("?]", with: "]")) else { return nil }
    self.init(
      name, isOptional: isOptional, as: representation,
      elementsAs: element?.representation)
  }

  /// The message for a type of Foundation that needs a representation and has none; nil for any other type.
  var missingRepresentation: String? {
    guard representation == nil else { return nil }
    return switch name {
    case "Date":
      "Date needs a representation, such as \"Date as sqlite\" or \"Date as timeIntervalSince1970\""
    case "UUID": "UUID needs a representation: \"UUID as uuidString\" or \"UUID as uuidBytes\""
    default: nil
    }
  }

  /// Returns whether the text looks like a type; the compiler makes the final decision.
  private static func isType(_ text: String) -> Bool {
    var open: [Character] = []
    for character in text {
      switch character {
      case "[": open.append("]")
      case "<": open.append(">")
      case "]", ">": guard open.popLast() == character else { return false }
      case ".", ",", ":", " ", "_": break
      default: guard character.isLetter || character.isNumber else { return false }
      }
    }
    guard let first = text.first, let last = text.last else { return false }
    return open.isEmpty && (first.isLetter || first == "_" || first == "[")
      && !".,: ".contains(last)
  }
}

extension String {
  /// Whether the text can be a Swift name, in backticks if necessary.
  var isSwiftName: Bool {
    guard let first = unicodeScalars.first else { return false }
    let isStart = { (scalar: Unicode.Scalar) in
      scalar == "_" || scalar.properties.isXIDStart
    }
    return isStart(first)
      && unicodeScalars.allSatisfy { $0.properties.isXIDContinue || isStart($0) }
  }
}
