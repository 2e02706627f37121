/** What the rooms beside and the public object use of this room. */
export { contradict, corroborate } from './evidence.ts'
export { extractMemories } from './extract.ts'
export { forget, forgetExpired, purgeWithMemories } from './forget.ts'
export { forgetOldKeys } from './keys.ts'
export { getMemory, historyOf, memoriesOf, streamHistory } from './read.ts'
export { remember } from './remember.ts'
export { findMemories, searchMemories } from './search.ts'
