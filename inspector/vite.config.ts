import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

const here = fileURLToPath(new URL('.', import.meta.url))

/** `npm run inspector` serves the page while it is worked on; what it asks of a server goes to a real one. */
export default defineConfig({
  root: here,
  base: './',
  // the page allows no other source of scripts and styles than its own files
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
