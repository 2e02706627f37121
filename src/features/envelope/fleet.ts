export { backfill } from './backfill.ts'
export { intakeStatus, pauseIntake, resumeIntake } from './intake.ts'
export { rollback } from './rollback.ts'
export { cachedEnvelopes, warm } from './warm.ts'
