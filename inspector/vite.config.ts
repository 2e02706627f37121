import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

const here = fileURLToPath(new URL('.', import.meta.url))

/** `npm run inspector` serves the page for development and proxies API requests to a real server. */
export default defineConfig({
  root: here,
  base: './',
  // the page's policy allows scripts and styles from its own files only
  build: {
    outDir: fileURLToPath(new URL('../dist/inspector', import.meta.url)),
    emptyOutDir: true,
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  server: { proxy: { '/v1': process.env['THROUGHLINE_INSPECT'] ?? 'http://127.0.0.1:4747' } },
})
