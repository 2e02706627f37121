/** Parses an event number such as `2505`, `#2505` or `2,505`; `undefined` if the log has no such event. */
export function eventNumber(text: string, head: number): number | undefined {
  const digits = text.replace(/[\s,#]/g, '')
  if (!/^\d+$/.test(digits)) return undefined
  const sequence = Number(digits)
  return sequence >= 1 && sequence <= head ? sequence : undefined
}
