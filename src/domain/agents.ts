/** The active agent of a session that names none, where no agents are registered. */
export const DEFAULT_AGENT = 'assistant'

/** A ready-made registry of five coaching agents, `coach` first: `open({ agents: roundtable })`. */
export const roundtable = ['coach', 'goalArchitect', 'patternAnalyst', 'motivator', 'accountabilityPartner'] as const
