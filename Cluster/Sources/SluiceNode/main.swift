import Foundation

exit(NodeProgram.main())
