/// A call of an SQL function in a program.
struct FunctionCall: Hashable, Sendable {
  let name: String
  /// The number of arguments; -1 if the program does not specify it.
  let count: Int

  /// Creates a call from its text in a program, such as `lower(1)`.
  init(_ text: String) {
    guard let opening = text.lastIndex(of: "("), text.hasSuffix(")") else {
      name = text
      count = -1
      return
    }
    name = text[..<opening].lowercased()
    count = Int(text[text.index(after: opening)...].dropLast()) ?? -1
  }
}

/// The results of SQL functions, and the storage classes that their arguments should have.
struct FunctionCatalog: Sendable {
  /// The functions that the user declares, by lowercase name; they replace SQLite's functions with these names.
  var declared: [String: (result: AbstractValue, arguments: [AbstractValue.Kinds])] = [:]

  /// Functions whose result is NULL only if an argument is NULL.
  private static let strict: [String: AbstractValue.Kinds] = [
    "length": .integer, "octet_length": .integer, "lower": .text, "upper": .text, "hex": .text,
    "instr": .integer,
    "replace": .text, "trim": .text, "ltrim": .text, "rtrim": .text, "like": .integer,
    "glob": .integer, "round": .real, "json_valid": .integer,
  ]

  /// Functions whose result is never NULL.
  private static let total: [String: AbstractValue.Kinds] = [
    "typeof": .text, "quote": .text, "random": .integer, "changes": .integer,
    "total_changes": .integer, "last_insert_rowid": .integer, "sqlite_version": .text,
    "json_array": .text, "json_object": .text, "jsonb_array": .blob, "jsonb_object": .blob,
    "current_timestamp": .text, "current_date": .text, "current_time": .text,
  ]

  /// Functions whose result can be NULL even if no argument is NULL.
  private static let partial: [String: AbstractValue.Kinds] = [
    "substr": .text, "substring": .text, "abs": .real, "unicode": .integer, "char": .text,
    "printf": .text,
    "format": .text, "date": .text, "time": .text, "datetime": .text, "strftime": .text,
    "julianday": .real, "unixepoch": .integer, "timediff": .text, "sign": .integer,
    "soundex": .text,
    "json": .text, "json_array_length": .integer, "json_type": .text, "json_set": .text,
    "json_insert": .text, "json_replace": .text, "json_remove": .text, "json_patch": .text,
    "json_quote": .text, "json_pretty": .text, "json_error_position": .integer,
    "json_array_insert": .text, "jsonb": .blob, "jsonb_set": .blob, "jsonb_insert": .blob,
    "jsonb_replace": .blob, "jsonb_remove": .blob, "jsonb_patch": .blob,
    "jsonb_array_insert": .blob, "unistr": .text, "unistr_quote": .text, "highlight": .text,
    "snippet": .text, "bm25": .real, "zeroblob": .blob,
    "randomblob": .blob, "concat": .text, "concat_ws": .text, "unhex": .blob,
    "sqrt": .real, "pow": .real, "power": .real, "exp": .real, "ln": .real, "log": .real,
    "log10": .real, "log2": .real, "sin": .real, "cos": .real, "tan": .real, "pi": .real,
    "ceil": .real, "ceiling": .real, "floor": .real, "trunc": .real, "mod": .real,
  ]

  /// Functions whose result is one of their arguments.
  private static let choosing: Set<String> = [
    "min", "max", "nullif", "likelihood", "likely", "unlikely",
  ]

  func result(of call: FunctionCall, _ arguments: [AbstractValue]) -> AbstractValue {
    if let declared = declared[call.name] { return declared.result }
    let anyNull = call.count < 0 || arguments.contains(where: \.mayBeNull)
    if let kinds = Self.strict[call.name] {
      return .computed(kinds, mayBeNull: anyNull, possible: .any)
    }
    if let kinds = Self.total[call.name] {
      return .computed(kinds, mayBeNull: false, possible: .any)
    }
    if call.name == "abs", let first = arguments.first {
      // For text or a blob, `abs` returns a real.
      let isText = !first.expected.isEmpty && first.expected.isSubset(of: [.real, .text, .blob])
      return .computed(isText ? .real : first.expected, mayBeNull: true, possible: .number)
    }
    if ["substr", "substring"].contains(call.name), arguments.first?.expected == .blob {
      return .computed(.blob, mayBeNull: true, possible: .any)
    }
    if let kinds = Self.partial[call.name] {
      return .computed(kinds, mayBeNull: true, possible: .any)
    }
    guard Self.choosing.contains(call.name), var value = arguments.first else { return .unknown }
    if call.name == "nullif" { return value.stripped.orNull }
    for argument in arguments.dropFirst() where call.name == "min" || call.name == "max" {
      value = value.joined(argument)
    }
    value = value.stripped
    value.parameters = []
    return value
  }

  /// Returns the storage classes that the arguments of a function should have.
  func arguments(of call: FunctionCall) -> [AbstractValue.Kinds] {
    if let declared = declared[call.name] { return declared.arguments }
    return switch call.name {
    case "like", "glob", "lower", "upper", "trim", "ltrim", "rtrim", "replace", "instr",
      "date", "time", "datetime", "json", "json_valid":
      Array(repeating: .text, count: 4)
    case "json_extract", "->", "->>": [.text]
    case "substr", "substring": [.text, .integer, .integer]
    case "strftime", "printf", "format": [.text]
    default: []
    }
  }

  func result(
    ofAggregate call: FunctionCall, _ given: AbstractValue.Accumulation?
  ) -> AbstractValue {
    if let declared = declared[call.name] { return declared.result }
    let first = given?.values.first
    let isWhole = first?.possible == .integer
    let hasValue = given?.hasValue == true
    switch call.name {
    case "count", "row_number", "rank", "dense_rank", "ntile": return .integer
    case "percent_rank", "cume_dist": return .computed(.real, mayBeNull: false)
    case "total":
      // The sum of positive and negative infinity is NULL.
      return .computed(.real, mayBeNull: !isWhole)
    case "avg": return .computed(.real, mayBeNull: !(hasValue && isWhole))
    case "sum":
      let expected: AbstractValue.Kinds =
        switch first?.expected {
        case .integer: .integer
        case .real, .number: .real
        default: []
        }
      return .computed(
        expected, mayBeNull: !(hasValue && isWhole), possible: isWhole ? .integer : .number)
    case "min", "max":
      guard var value = first else { return .unknown }
      value.mayBeNull = !hasValue
      value.parameters = []
      return value
    case "first_value", "last_value", "nth_value", "lag", "lead":
      guard var value = first else { return .unknown }
      value.mayBeNull = true
      value.parameters = []
      return value
    case "group_concat", "string_agg": return .computed(.text, mayBeNull: true)
    case "json_group_array", "json_group_object": return .computed(.text, mayBeNull: false)
    case "jsonb_group_array", "jsonb_group_object": return .computed(.blob, mayBeNull: false)
    default: return .unknown
    }
  }
}
