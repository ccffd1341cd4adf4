/// A page of the list of all notes.
public struct NotePage: Codable, Hashable, Sendable {
  public var notes: [Note]
  /// The number of the page, from 1.
  public var number: Int
  /// The number of notes on all pages.
  public var noteCount: Int
}

/// The notes that a search has found.
public struct SearchAnswer: Codable, Hashable, Sendable {
  public var hits: [SearchHit]
  /// The search with its misspelled words replaced, if it has found nothing.
  public var didYouMean: String?
}

/// A note that a search has found.
public struct SearchHit: Codable, Hashable, Sendable {
  public var id: Int
  public var title: String
  /// The part of the note that matches best, with brackets around each match.
  public var excerpt: String
}

/// All notebooks, and the number of notes in all of them.
public struct Overview: Codable, Hashable, Sendable {
  public var notebooks: [Notebook]
  public var noteCount: Int
}
