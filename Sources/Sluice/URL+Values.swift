public import Foundation
public import SluiceCore

extension SQLBindable where Self == SQLParameter {
  /// A URL as text; one that is relative to another is stored whole; NULL for nil.
  public static func urlString(_ url: URL?) -> SQLParameter {
    (url?.absoluteString).sqlParameter
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
