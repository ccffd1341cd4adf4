public import Foundation
public import SluiceCore

extension SQLParameter {
  /// A URL as text; one that is relative to another is stored whole.
  public static func urlString(_ url: URL) -> SQLParameter {
    SQLParameter(.text(url.absoluteString))
  }
}

extension ColumnValueConverter where Value == URL {
  /// A URL from text, which has to be one as it stands: a space is not taken for `%20`.
  public static var urlString: Self {
    Self { row, index in
      let text = try row.get(.string, at: index)
      guard let url = URL(string: text, encodingInvalidCharacters: false) else {
        throw row.mismatch(at: index, "is not a URL")
      }
      return url
    }
  }
}
