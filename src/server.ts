/** `throughline/server`: start the server from your own code. */
export type { Limits } from './http/admission.ts'
export type { JwtOptions } from './http/auth.ts'
export type { LogLevel } from './http/log-level.ts'
export { type ServeOptions, type Server, serve } from './serve.ts'
