import { main } from './main.ts'

// what bin/throughline.js does with the built files, for use without a build
await main(process.argv.slice(2))
