import { userInfo } from 'node:os'

/** The user if none is named: `THROUGHLINE_USER`, else the user who runs the process. */
export function defaultUser(): string {
  return process.env['THROUGHLINE_USER'] || systemUser()
}

function systemUser(): string {
  try {
    return userInfo().username
  } catch {
    // in a container the user id may have no name
    return 'local'
  }
}
