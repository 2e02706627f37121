/** What one look at the surroundings gave. */
export interface Check {
  name: string
  status: 'ok' | 'warn' | 'fail'
  /** What was found. */
  found: string
  /** What to do, unless all is well. */
  advice?: string
}
