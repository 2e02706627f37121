export { backfill } from './backfill.ts'
export { intakeStatus, pauseIntake, resumeIntake } from './intake.ts'
export { rollback } from './rollback.ts'
export { cachedEnvelopes, requireCache, warm } from './warm.ts'
