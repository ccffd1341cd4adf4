import Sluice

extension MisuseMatrix {
  /// Members of the arguments that the statement of a ``MisuseFixture`` passes to its functions.
  static let arguments: [Entry<SQLFunctionArguments>] = [
    Entry("SQLFunctionArguments.count", .never) { $0.count },
    Entry("SQLFunctionArguments.isEmpty", .never) { $0.isEmpty },
    Entry("SQLFunctionArguments.indices", .never) { $0.indices },
    Entry("SQLFunctionArguments.first", .never) { try $0.first },
    Entry("SQLFunctionArguments.subscript(_:)", .never) { try $0[0] },
    Entry("SQLFunctionArguments.map(_:)", .never) { try $0.map { $0.isNull } },
    Entry("SQLFunctionArguments.get(_:at:)", .never) { try $0.get(Int.self, at: 0) },
    Entry("SQLFunctionArguments.get(_:at:)", .never) { try $0.get(.int, at: 0) },
    Entry("SQLFunctionArguments.optional(_:at:)", .never) { try $0.optional(.int, at: 0) },
    Entry("SQLFunctionArguments.storageClass(at:)", .never) { try $0.storageClass(at: 0) },
    Entry("SQLFunctionArguments.integer(at:)", .never) { try $0.integer(at: 0) },
    Entry("SQLFunctionArguments.real(at:)", .never) { try $0.real(at: 0) },
    Entry("SQLFunctionArguments.text(at:)", .never) { try $0.text(at: 0) },
    Entry("SQLFunctionArguments.blob(at:)", .never) { try $0.blob(at: 0) },
    Entry("SQLFunctionArguments.withUTF8(at:_:)", .never) { try $0.withUTF8(at: 1) { $0.count } },
    Entry("SQLFunctionArguments.withBytes(at:_:)", .never) { try $0.withBytes(at: 2) { $0.count } },
    Entry("SQLFunctionArguments.subtype(at:)", .never) { try $0.subtype(at: 1) },
    Entry("SQLFunctionArguments.isBound(at:)", .never) { try $0.isBound(at: 1) },
    Entry("SQLFunctionArguments.numeric(at:)", .never) { try $0.numeric(at: 1) },
    Entry("SQLFunctionArguments.object(_:at:)", .never) { try $0.object(String.self, at: 3) },
    Entry("SQLFunctionArguments.auxiliaryData(at:_:)", .never) {
      try $0.auxiliaryData(at: 0) { (id: Int) in id }
    },
    Entry("SQLFunctionArguments.setResultSubtype(_:)", .answers) { try $0.setResultSubtype(74) },
    Entry("SQLFunctionArguments.setResultObject(_:)", .answers) { try $0.setResultObject("x") },
  ]
}
