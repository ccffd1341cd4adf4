import Foundation

/// The text of a new or changed note, which is valid once it has been checked.
public struct Draft: Codable, Hashable, Sendable {
  /// The name of the notebook; a new name creates a notebook.
  public var notebook: String
  /// The title, which is unique in its notebook.
  public var title: String
  public var body: String

  public init(notebook: String = "Inbox", title: String, body: String = "") {
    self.notebook = notebook
    self.title = title
    self.body = body
  }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      notebook: try values.decodeIfPresent(String.self, forKey: .notebook) ?? "Inbox",
      title: try values.decode(String.self, forKey: .title),
      body: try values.decodeIfPresent(String.self, forKey: .body) ?? "")
  }
}

extension Draft {
  static let maximumTitleLength = 200
  static let maximumBodySize = 1 << 20

  /// Returns the draft without white space around its names, or throws ``NotesError/invalid(_:)``.
  func checked() throws -> Draft {
    guard body.utf8.count <= Self.maximumBodySize else {
      throw NotesError.invalid("The body has more than \(Self.maximumBodySize) bytes")
    }
    guard !body.utf8.contains(0) else { throw NotesError.invalid("The body contains NUL") }
    return Draft(
      notebook: try Self.checked(notebook, "notebook"), title: try Self.checked(title, "title"),
      body: body)
  }

  /// Returns a name without surrounding white space, or throws if it is empty or too long.
  static func checked(_ name: String, _ field: String) throws -> String {
    let name = name.trimmingCharacters(in: .whitespacesAndNewlines)
    guard !name.isEmpty else { throw NotesError.invalid("The \(field) is empty") }
    // A single character can consist of any number of scalars.
    guard name.unicodeScalars.count <= maximumTitleLength else {
      throw NotesError.invalid("The \(field) has more than \(maximumTitleLength) characters")
    }
    guard !name.utf8.contains(0) else { throw NotesError.invalid("The \(field) contains NUL") }
    return name
  }
}
