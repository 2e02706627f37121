#!/usr/bin/env node
// Plain JavaScript that old versions of Node can read too, so that they are told what is missing.
import { existsSync } from 'node:fs'

const [major, minor] = process.versions.node.split('.').map(Number)
const main = new URL('../dist/cli/main.js', import.meta.url)

if (major < 22 || (major === 22 && minor < 12)) {
  stop(
    `throughline needs Node.js 22.12 or newer, and this is ${process.versions.node}.\n` +
      'Get one from https://nodejs.org, or with a version manager: nvm install --lts',
  )
} else if (!existsSync(main)) {
  stop('throughline is not built yet: run npm run build')
} else {
  // Node would let FORCE_COLOR win, and warn of it as soon as something is loaded
  if (process.env.NO_COLOR) delete process.env.FORCE_COLOR
  import(main.href).then(({ main }) => main(process.argv.slice(2))).catch((error) => stop(`error: ${error.message}`))
}

function stop(message) {
  process.stderr.write(`${message}\n`)
  process.exitCode = 1
}
