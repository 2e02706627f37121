import { z } from 'zod/mini'
import type { Route } from '../../http/route.ts'
import { indexLogs, recall } from './operation.ts'
import { indexResponse, recallResponse } from './response.ts'
import { indexOptions, recallQuery } from './schema.ts'

export const recallRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/recall',
    operation: 'recall',
    summary: "Search a user's messages, summaries and memories, best first",
    body: recallQuery(),
    response: recallResponse,
    handle: ({ deps, body }) => recall(deps, body),
  },
  {
    method: 'POST',
    path: '/index',
    operation: 'indexLogs',
    summary: 'Bring the search index up to date and extract memories from ended sessions',
    body: z.omit(indexOptions(), { onProgress: true }),
    response: indexResponse,
    long: true,
    bulk: true,
    handle: ({ deps, body, onProgress }) => indexLogs(deps, { ...body, onProgress }),
  },
]
