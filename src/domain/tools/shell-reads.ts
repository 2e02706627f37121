const LINES = String.raw`sed -n ['"]?\d+(?:,\d+)?p['"]?|(?:head|tail)(?: -n ?\+?\d+| -\d+)?`
/** One command that prints a file: `cat a.ts`, `sed -n '1,200p' a.ts`, `nl -ba a.ts | sed -n '1,200p'`. */
const PRINTS = new RegExp(
  String.raw`^(?:cat|nl(?: -ba)?|${LINES}) (?:--? )?(?:"([^"$${'`'}]+)"|'([^']+)'|([\w@+.,/~-]+))(?: \| (?:nl(?: -ba)?|${LINES}))?$`,
)

/**
 * The files that a script only prints: the way to read files for agents whose only tool is a shell. `folder` is where
 * the script runs, if it is not the folder of the session.
 */
export function printedFiles(script: string, folder: string): string[] {
  const found = new Set<string>()
  for (const command of script.split(/\s*(?:&&|;|\n)\s*/)) {
    // from here on, relative paths are relative to another folder
    if (/^(?:cd|pushd)\b/.test(command)) break
    const [, quoted, single, plain] = PRINTS.exec(command) ?? []
    const path = quoted ?? single ?? plain
    if (path === undefined || path.startsWith('-')) continue
    found.add(/^[/~]|^[A-Za-z]:/.test(path) || folder === '' ? path : `${folder.replace(/\/+$/, '')}/${path}`)
  }
  return [...found]
}
