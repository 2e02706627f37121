import type { IntakeStatus } from '../../api.ts'
import { requireOperator } from '../kernel/access.ts'
import { type Deps, now } from '../kernel/deps.ts'

export async function intakeStatus(deps: Deps): Promise<IntakeStatus> {
  requireOperator(deps)
  const since = await deps.store.pausedSince()
  return since === undefined ? { paused: false } : { paused: true, since }
}

export async function pauseIntake(deps: Deps): Promise<IntakeStatus> {
  requireOperator(deps)
  await deps.store.pause(now(deps))
  return await intakeStatus(deps)
}

export async function resumeIntake(deps: Deps): Promise<IntakeStatus> {
  requireOperator(deps)
  await deps.store.pause(undefined)
  return await intakeStatus(deps)
}
