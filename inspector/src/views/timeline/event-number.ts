/** The event that a text names, as `2505`, `#2505` or `2,505`, of a log that ends at `head`. */
export function eventNumber(text: string, head: number): number | undefined {
  const digits = text.replace(/[\s,#]/g, '')
  if (!/^\d+$/.test(digits)) return undefined
  const sequence = Number(digits)
  return sequence >= 1 && sequence <= head ? sequence : undefined
}
