/** Where the code is, `src/` or `dist/`: built code is put together in other files, so that none knows its place by itself. */
const CODE = new URL(import.meta.url.replace(/(.*\/(?:src|dist)\/).*/, '$1'))

/** A file that comes with the code, by its path from `src/` or `dist/`. */
export function packageFile(path: string): URL {
  return new URL(path, CODE)
}
