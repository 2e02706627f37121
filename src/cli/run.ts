import { main } from './main.ts'

// runs the CLI from the sources, like bin/throughline.js does from the build
await main(process.argv.slice(2))
