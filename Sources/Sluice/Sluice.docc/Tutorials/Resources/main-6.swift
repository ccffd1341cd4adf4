import Sluice

let pool = try ConnectionPool(path: "readinglist.sqlite", readers: 2)
try await Migrations.migrator().migrate(pool)

let words = CommandLine.arguments
switch words.dropFirst().first {
case "add" where words.count > 3 && words.count.isMultiple(of: 2):
  do {
    let ids = try await pool.write { connection in
      try stride(from: 2, to: words.count, by: 2).map { index in
        try connection.addBook(title: words[index], author: words[index + 1])
      }
    }
    print("Books added: \(ids.count)")
  } catch SQLiteError.constraint {
    print("One of the books is already on the list. Nothing was added.")
  }
case "finish" where words.count == 4:
  do {
    // 0 is not a valid rating, so the constraint also rejects a word that is not a number.
    let rating = Int(words[3]) ?? 0
    let changes = try await pool.finishBook(rating: rating, id: Int(words[2]) ?? 0)
    print(changes == 1 ? "Finished book \(words[2])." : "There is no unread book \(words[2]).")
  } catch SQLiteError.constraint {
    print("The rating must be a number from 1 to 5.")
  }
case "rated":
  for book in try await pool.ratedBooks() { print(book.rating ?? 0, book.title) }
case "watch":
  let watch = try pool.watchOtherWriters()
  for try await books in pool.observeUnreadBooks().removeDuplicates() {
    print("Unread books: \(books.count)")
    if books.isEmpty { break }
  }
  watch.cancel()
case nil:
  for book in try await pool.unreadBooks() {
    print(book.id, book.title, "by", book.author)
  }
default:
  print("Usage: readinglist [add TITLE AUTHOR... | finish ID RATING | rated | watch]")
}
try await pool.close()
