public import Foundation
public import SluiceCore

extension SQLBindable where Self == SQLParameter {
  /// Returns a parameter with a URL as text; NULL for nil.
  ///
  /// A relative URL is stored as an absolute URL.
  public static func urlString(_ url: URL?) -> SQLParameter {
    (url?.absoluteString).sqlParameter
  }
}

extension ColumnValueConverter where Value == URL {
  /// A converter that reads a URL from text, which must be a valid URL: a space is not read as `%20`.
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
