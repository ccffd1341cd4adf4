import Foundation
import SluiceCommand

exit(SluiceCommand.main())
