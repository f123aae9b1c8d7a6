import { HOSTED_API } from '@steward/contract'
import { changes, type Handler, reads } from '../api/handler.ts'
import { readPage } from '../api/page.ts'
import { createWhere } from '../api/where.ts'
import {
  archiveEnvironment,
  createEnvironment,
  deleteEnvironment,
  updateEnvironment,
} from './change-environments.ts'
import {
  ENVIRONMENT_COLUMNS,
  getEnvironment,
  toHostedEnvironment,
  toStoredEnvironment,
} from './stored-environment.ts'

const SOURCE = {
  select: `SELECT ${ENVIRONMENT_COLUMNS} FROM environments`,
  timeColumn: 'created_ms',
  timeName: 'created_ms',
  idColumn: 'id',
}

export const environmentHandlers: readonly Handler[] = [
  changes(HOSTED_API.createEnvironment, ({ body }, { nowMs }) => createEnvironment(body, nowMs)),
  changes(HOSTED_API.updateEnvironment, ({ params, body }, { nowMs }) =>
    updateEnvironment(params.environment_id, body, nowMs),
  ),
  changes(HOSTED_API.archiveEnvironment, ({ params }, { nowMs }) =>
    archiveEnvironment(params.environment_id, nowMs),
  ),
  changes(HOSTED_API.deleteEnvironment, ({ params }) => deleteEnvironment(params.environment_id)),
  reads(HOSTED_API.getEnvironment, function* ({ params }) {
    return toHostedEnvironment(yield* getEnvironment(params.environment_id))
  }),
  reads(HOSTED_API.listEnvironments, function* ({ query }) {
    const where = createWhere()
    if (!query.include_archived) where.add('archived_ms IS NULL')
    const page = yield* readPage(SOURCE, where, { ...query, order: 'desc' })
    return {
      data: page.rows.map((row) => toHostedEnvironment(toStoredEnvironment(row))),
      next_page: page.next_page,
    }
  }),
]
