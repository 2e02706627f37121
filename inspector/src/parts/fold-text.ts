/** Text without case and accents. */
export function foldText(text: string): string {
  return ASCII.test(text) ? text.toLowerCase() : text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
}

const ASCII = /^\p{ASCII}*$/u
