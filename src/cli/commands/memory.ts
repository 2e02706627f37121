import type { CommandGroup } from '../command.ts'
import { exportCommand } from './memory/export.ts'
import { forgetCommand } from './memory/forget.ts'
import { importCommand } from './memory/import.ts'
import { listCommand } from './memory/list.ts'
import { searchCommand } from './memory/search.ts'
import { showCommand } from './memory/show.ts'

export const memoryCommands: CommandGroup = {
  name: 'memory',
  summary: 'manage memories: search, list, show, import, export, forget',
  commands: [searchCommand, listCommand, showCommand, importCommand, exportCommand, forgetCommand],
}
