import Sluice
func go(_ s: Statement) throws { 
  var fs: [() throws -> Int] = []
  try s.forEachRow { r in fs.append { try r.get(.int, at: 0) } } }
func go2(_ c: Connection) throws { var f: (() throws -> DatabaseValue)?
  try c.addFunction("x", arity: 1) { v in f = { try v[0] }; return .null } }
