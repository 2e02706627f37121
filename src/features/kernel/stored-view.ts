import type { SessionView } from '../../domain/fold.ts'
import type { Deps } from './deps.ts'

/** The views to store: without the envelope when envelopes are switched off. */
export function storedView({ keepsEnvelopes }: Deps, view: SessionView): SessionView {
  if (keepsEnvelopes) return view
  const { envelope: _omitted, ...rest } = view
  return rest
}
