import { z } from 'zod'
import { defined } from '../domain/optional.ts'
import type { Route } from './route.ts'

const principal = z.strictObject({
  tenant: z.string(),
  userId: z.string().optional(),
  issuer: z.string().optional(),
  scope: z.string().optional(),
})

/** What a client needs to know first. */
export function infoRoute(version: string): Route {
  return {
    method: 'GET',
    path: '',
    operation: 'about',
    summary: "Describe the server, its registered agents and the token's principal",
    response: z.strictObject({
      name: z.literal('throughline'),
      version: z.string(),
      agents: z.array(z.string()),
      principal: principal.meta({ description: 'Absent for the operator.' }).optional(),
    }),
    storeless: true,
    handle: async ({ deps: { agents, within } }) =>
      defined({ name: 'throughline', version, agents, principal: within }),
  }
}
