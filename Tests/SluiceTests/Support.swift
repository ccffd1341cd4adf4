import Sluice
import Testing
