import Sluice
// thread-local / global escapes
enum T { @TaskLocal static var x = 0 }
nonisolated func helper(_ c: Connection, _ q: ConnectionQueue) throws { 
  try q.sync { d in d = c } }
