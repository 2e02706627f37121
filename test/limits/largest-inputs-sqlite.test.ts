import { describeLargestInputs } from './largest-inputs.ts'

describeLargestInputs('SQLite')
