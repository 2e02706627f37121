/** What to do when a schema differs from its dump. */
export const HOW_TO_UPDATE =
  'the schema differs from its dump; if the change is meant, run npm run schema:dump and commit the dump'
