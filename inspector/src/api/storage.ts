type Store = 'localStorage' | 'sessionStorage'

/** The stored text; empty if there is none, or if the browser blocks storage: then access throws. */
export function readStored(store: Store, key: string): string {
  try {
    return globalThis[store].getItem(key) ?? ''
  } catch {
    return ''
  }
}

/** Stores a text; an empty one removes it. If the browser blocks storage, it lasts until the page is reloaded. */
export function writeStored(store: Store, key: string, text: string): void {
  try {
    if (text === '') globalThis[store].removeItem(key)
    else globalThis[store].setItem(key, text)
  } catch {}
}
