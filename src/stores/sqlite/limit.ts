/**
 * How a statement is told how many rows to give: never by a bare parameter. That would let the value choose the plan, so SQLite makes
 * a new plan whenever it is bound: 22 µs, a quarter of a window of 30 turns.
 */
export const LIMIT = 'limit @limit + 0'
