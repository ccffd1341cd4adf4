public import Foundation
public import SluiceCore

extension SQLBindable where Self == SQLParameter {
  /// A URL as text; NULL for nil.
  ///
  /// A URL that is relative to another URL is stored as an absolute URL.
  public static func urlString(_ url: URL?) -> SQLParameter {
    (url?.absoluteString).sqlParameter
  }
}

extension ColumnValueConverter where Value == URL {
  /// A URL from text, which must be valid without changes: a space is not read as `%20`.
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
