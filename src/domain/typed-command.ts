/** Returns the command that a user typed into a coding agent, which stores it in tags: `/review the parser`, `! ls`. */
export function typedCommand(text: string): string | undefined {
  const tags = text.trimStart()
  if (tags.startsWith('<command-')) {
    const name = textInTag(tags, 'command-name')
    return name === undefined || name.includes('<')
      ? undefined
      : `${name} ${textInTag(tags, 'command-args') ?? ''}`.trim()
  }
  const line = tags.startsWith('<bash-input>') ? textInTag(tags, 'bash-input') : undefined
  return line === undefined ? undefined : `! ${line}`
}

/** Returns the text between two tags. A pattern took cubic time for a tag, blanks and no end tag. */
function textInTag(text: string, tag: string): string | undefined {
  const open = `<${tag}>`
  const start = text.indexOf(open)
  const end = start < 0 ? -1 : text.indexOf(`</${tag}>`, start)
  return end < 0 ? undefined : text.slice(start + open.length, end).trim()
}
