import { HOSTED_API } from '@steward/contract'
import { type Handler, reads } from '../api/handler.ts'
import { readLog } from './read-log.ts'
import { readOverview } from './read-overview.ts'

export const overviewHandlers: readonly Handler[] = [
  reads(HOSTED_API.getOverview, ({ query }, { nowMs }) => readOverview(query.archived, nowMs)),
  reads(HOSTED_API.getSessionLog, ({ params, query }, { nowMs }) =>
    readLog(params.session_id, query, nowMs),
  ),
]
