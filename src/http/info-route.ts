import { z } from 'zod'
import type { Route } from './route.ts'

const principal = z.strictObject({
  tenant: z.string(),
  userId: z.string().optional(),
  issuer: z.string().optional(),
  scope: z.string().optional(),
})

/** What a client has to know before it begins. */
export function infoRoute(version: string): Route {
  return {
    method: 'GET',
    path: '',
    operation: 'about',
    summary: 'What server this is, which agents it knows, and whom the token stands for',
    response: z.strictObject({
      name: z.literal('throughline'),
      version: z.string(),
      agents: z.array(z.string()),
      principal: principal.meta({ description: 'Absent for whoever runs the store.' }).optional(),
    }),
    storeless: true,
    handle: async ({ deps: { agents, within } }) => ({
      name: 'throughline',
      version,
      agents,
      ...(within !== undefined && { principal: within }),
    }),
  }
}
