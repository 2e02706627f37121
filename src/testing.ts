export type { ApiDatabase, Harness, Runner, StoreDatabase } from './stores/conformance/harness.ts'
export { describeSessionStore, describeThroughline } from './stores/conformance/index.ts'
export { type FixedClock, fixedClock } from './stores/conformance/samples.ts'
