import type { Route } from '../../http/route.ts'
import { parse } from '../kernel/parse.ts'
import { exportPage, importBlocks } from './operation.ts'
import { exportResponse, importResponse } from './response.ts'
import { exportQuery, importBody, importEnvelope } from './schema.ts'

export const transferRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/export',
    operation: 'exportPage',
    summary: 'Export a page of whole sessions in ascending order of id',
    body: exportQuery,
    response: exportResponse,
    bulk: true,
    errors: ['SESSION_NOT_FOUND'],
    handle: ({ deps, body = {} }) => exportPage(deps, body),
  },
  {
    method: 'POST',
    path: '/import',
    operation: 'importBlocks',
    summary: 'Import blocks of sessions; may be repeated',
    body: importBody,
    response: importResponse,
    bulk: true,
    handle: async ({ deps, body }) => ({ outcomes: await importBlocks(deps, parse(importEnvelope, body).blocks) }),
  },
]
