import type { Route } from '../../http/route.ts'
import { reportUsage } from './operation.ts'
import { reportResponse } from './response.ts'
import { usageQuery } from './schema.ts'

export const usageRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/usage',
    operation: 'reportUsage',
    summary: 'Sum the tokens and costs of model calls by user, tenant, day or model',
    query: usageQuery(),
    response: reportResponse,
    bulk: true,
    handle: ({ deps, query }) => reportUsage(deps, query as never),
  },
]
