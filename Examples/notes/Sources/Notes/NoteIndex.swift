import Foundation
package import Sluice

/// All notes by their IDs, and the words of their titles, in memory.
///
/// Applying the same changes twice has the same effect as applying them once, so changes that are already part of the
/// notes do no harm.
package struct NoteIndex: Hashable, Sendable {
  package private(set) var notes: [Int: Note] = [:]
  /// The IDs of the notes whose titles contain a word; no set is empty.
  private var ids: [String: Set<Int>] = [:]

  package init(_ notes: [Note] = []) {
    for note in notes { insert(note) }
  }

  package var wordCount: Int { ids.count }

  /// Returns the words that begin with a prefix, the most frequent first.
  package func completions(of prefix: String, limit: Int = 10) -> [String] {
    let prefix = prefix.lowercased()
    return ids.filter { $0.key.hasPrefix(prefix) }
      .sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }
      .prefix(max(0, limit)).map(\.key)
  }

  /// Applies the changes of one commit in their order.
  package mutating func apply(_ commit: RowChanges) throws {
    for change in commit.changes {
      switch change {
      case .inserted(let row): insert(try Note(row))
      case .updated(let old, let new):
        remove(try Note(old).id)
        insert(try Note(new))
      case .deleted(let row): remove(try Note(row).id)
      }
    }
  }

  private mutating func insert(_ note: Note) {
    remove(note.id)
    notes[note.id] = note
    for word in note.words { ids[word, default: []].insert(note.id) }
  }

  private mutating func remove(_ id: Int) {
    guard let note = notes.removeValue(forKey: id) else { return }
    for word in note.words {
      ids[word]?.remove(id)
      if ids[word]?.isEmpty == true { ids[word] = nil }
    }
  }
}

extension Note {
  /// Creates a note from a row of the table `note`.
  fileprivate init(_ row: ChangedRow) throws {
    guard case .integer(let id) = row["id"], case .integer(let notebook) = row["notebook"],
      case .text(let title) = row["title"], case .text(let body) = row["body"],
      case .integer(let version) = row["version"]
    else { throw SQLiteError(.mismatch, "The table note has unexpected columns: \(row)") }
    self.init(
      id: Int(id), notebook: Int(notebook), title: title, body: body, version: Int(version))
  }

  fileprivate var words: Set<String> {
    Set(title.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init))
  }
}
