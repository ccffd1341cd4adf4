import Sluice

let pool = try ConnectionPool(path: "readinglist.sqlite", readers: 2)
try await Migrations.migrator().migrate(pool)

let words = CommandLine.arguments
switch words.dropFirst().first {
case "add" where words.count == 4:
  let id = try await pool.addBook(title: words[2], author: words[3])
  print("Added book \(id).")
case nil:
  for book in try await pool.unreadBooks() {
    print(book.id, book.title, "by", book.author)
  }
default:
  print("Usage: readinglist [add TITLE AUTHOR]")
}
try await pool.close()
