import { userInfo } from 'node:os'

/** Whose sessions are meant where nobody says: `THROUGHLINE_USER`, else whoever runs the process. */
export function defaultUser(): string {
  return process.env['THROUGHLINE_USER'] || systemUser()
}

function systemUser(): string {
  try {
    return userInfo().username
  } catch {
    // a process in a container may run under a number that has no name
    return 'local'
  }
}
