export { checkWork } from './check-work.ts'
export { deriveWork } from './derive.ts'
