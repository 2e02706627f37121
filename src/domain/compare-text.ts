/** By code points, as databases do; `<` sorts surrogate pairs (beyond U+FFFF) before some other characters. */
export function compareText(a: string, b: string): number {
  let i = 0
  while (i < a.length && a[i] === b[i]) i++
  if (i === a.length || i === b.length) return a.length - b.length
  return rank(a.charCodeAt(i)) - rank(b.charCodeAt(i))
}

/** Surrogates come last. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit
}
