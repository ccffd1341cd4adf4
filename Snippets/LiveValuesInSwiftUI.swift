// A SwiftUI view that shows the rows of a query.

// snippet.hide
#if canImport(SwiftUI)
  import Sluice

  // snippet.show
  import SwiftUI

  struct Book: Decodable, Sendable, Identifiable, Equatable {
    var id: Int64
    var title: String
  }

  struct BookList: View {
    @State private var books: LiveValue<[Book]>

    init(pool: ConnectionPool) {
      books = pool.live(Book.self, "SELECT id, title FROM book ORDER BY title")
    }

    var body: some View {
      List(books.value) { book in Text(book.title) }
        .overlay { if let error = books.error { Text(error.localizedDescription) } }
        .onAppear { books.onUpdate { update in withAnimation { update() } } }
    }
  }
// snippet.hide
#endif
