/** The folder of the code, `src/` or `dist/`: the build bundles files, so a module does not know its own place. */
const CODE = new URL(import.meta.url.replace(/(.*\/(?:src|dist)\/).*/, '$1'))

/** A file shipped with the code, by its path from `src/` or `dist/`. */
export function packageFile(path: string): URL {
  return new URL(path, CODE)
}
