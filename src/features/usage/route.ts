import type { Route } from '../../http/route.ts'
import { reportStorage, reportUsage } from './operation.ts'
import { reportResponse } from './response.ts'
import { reportQuery } from './schema.ts'

export const usageRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/usage',
    operation: 'reportUsage',
    summary: 'Sum the tokens and costs of model calls by user, tenant, day or model, or what users or tenants store',
    query: reportQuery(),
    response: reportResponse,
    bulk: true,
    handle: ({ deps, query: { storage, ...query } }) =>
      storage === true ? reportStorage(deps, query as never) : reportUsage(deps, query as never),
  },
]
