/// A list of books as text, with one line for each book.
struct Report: CustomStringConvertible {
  let books: [Book]

  init(_ books: [Book]) { self.books = books }

  var description: String {
    guard !books.isEmpty else { return "There are no books.\n" }
    return books.map { book in
      let stars = String(repeating: "*", count: max(0, min(book.stars ?? 0, 5)))
      let mark = book.finished == nil ? " " : "x"
      return
        "[\(mark)] \(book.id) \(book.title), \(book.author)\(stars.isEmpty ? "" : " \(stars)")\n"
    }.joined()
  }
}

extension Summary: CustomStringConvertible {
  var description: String {
    // The average is nil if no book has a rating.
    let average = stars.map { "; on average they have \(($0 * 10).rounded() / 10) stars" } ?? ""
    return "\(read) of \(books) read\(average)"
  }
}
