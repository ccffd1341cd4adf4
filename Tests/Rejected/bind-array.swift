// A parameter takes one value; an array other than one of bytes needs a conversion to one.
// says: bind .json(values)

import Sluice
import SluiceExtras

func insert(_ numbers: [Int], _ names: [String], _ bytes: [UInt8], _ statement: Statement) throws {
  #if REJECTED
    try statement.bind(numbers, toParameter: "a")
    try statement.bind(names, toParameter: 1)
    try statement.bind([[1], [2]], toParameter: 1)
  #else
    try statement.bind(.json(numbers), toParameter: "a")
    try statement.bind(.propertyList(names), toParameter: 1)
    try statement.bind(.array(numbers), toParameter: 1)
    try statement.bind(bytes, toParameter: "a")
    try statement.bind([1, 2, 3], toParameter: "a")
    try statement.bind(nil as [UInt8]?, toParameter: 1).bind(.null, toParameter: 2)
    try statement.bind([1, 2, 3])
  #endif
}
