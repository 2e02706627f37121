/** Options that several commands share. */
import type { CommandOption } from './command.ts'

export const USER_TENANT: CommandOption = {
  flags: '--tenant <id>',
  description: 'tenant of the user (default: "local")',
}

export const MEMORY_OWNER: CommandOption = { flags: '--user <id>', description: 'owner of the memories (required)' }

export const OUT_FILE: CommandOption = {
  flags: '--out <file>',
  description: 'file to write; an existing file is replaced (default: stdout)',
}

/** For commands that accept part of a session id. */
export const PARTIAL_ID_TENANT: CommandOption = {
  flags: '--tenant <id>',
  description: 'tenant to search when <session> is part of an id (default: "local")',
}
