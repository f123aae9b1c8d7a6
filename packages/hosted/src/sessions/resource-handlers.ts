import { HOSTED_API, HOSTED_LIMITS, type SessionResource, StewardError } from '@steward/contract'
import { changes, type Handler, reads } from '../api/handler.ts'
import { pageOfArray } from '../api/page-of-array.ts'
import { invalid, notFound } from '../api/refusal.ts'
import { toInstant } from '../database/instant.ts'
import type { Tx } from '../database/tx.ts'
import { checkFiles } from '../files/check-files.ts'
import type { StoredResource } from '../log/session-body.ts'
import { type StoredSession, writeSessionBody } from '../log/stored-session.ts'
import type { Seal } from '../vaults/seal.ts'
import { getSession } from './hosted-session.ts'
import { makeResource, refuseSharedPath, sealToken } from './make-resource.ts'

/** Mounts of a session's sandbox; changes apply to the next tool call. */
export const createResourceHandlers = (seal: Seal): readonly Handler[] => [
  reads(HOSTED_API.listResources, function* ({ params, query }) {
    const { body } = yield* getSession(params.session_id)
    return pageOfArray(
      body.resources.map(({ resource }) => resource),
      query,
    )
  }),
  reads(HOSTED_API.getResource, function* ({ params }) {
    return findResource(yield* getSession(params.session_id), params.resource_id).resource
  }),
  changes(HOSTED_API.addResource, function* ({ params, body }, { nowMs }) {
    const session = yield* getOpenSession(params.session_id)
    const { resources } = session.body
    if (resources.length >= HOSTED_LIMITS.sessionResources)
      throw invalid('resources', `at most ${HOSTED_LIMITS.sessionResources}`)
    yield* checkFiles([body.file_id], nowMs)
    const added = makeResource(body, seal, nowMs)
    refuseSharedPath(resources, added)
    yield* writeResources(session, [...resources, added], nowMs)
    return added.resource
  }),
  changes(HOSTED_API.updateResource, function* ({ params, body }, { nowMs }) {
    const session = yield* getOpenSession(params.session_id)
    const before = findResource(session, params.resource_id)
    if (before.resource.type !== 'github_repository')
      throw invalid('authorization_token', 'only a repository has one')
    const resource: SessionResource = { ...before.resource, updated_at: toInstant(nowMs) }
    const sealed_token = sealToken(seal, resource.id, body.authorization_token)
    yield* writeResources(
      session,
      session.body.resources.map((kept) => (kept === before ? { resource, sealed_token } : kept)),
      nowMs,
    )
    return resource
  }),
  changes(HOSTED_API.deleteResource, function* ({ params }, { nowMs }) {
    const session = yield* getOpenSession(params.session_id)
    const gone = findResource(session, params.resource_id)
    yield* writeResources(
      session,
      session.body.resources.filter((kept) => kept !== gone),
      nowMs,
    )
    return { id: gone.resource.id, type: 'session_resource_deleted' as const }
  }),
]

function* getOpenSession(id: string): Tx<StoredSession> {
  const session = yield* getSession(id, 'hold')
  if (session.archivedMs !== null) throw new StewardError('archived', { what: 'session', name: id })
  return session
}

function* writeResources(
  { id, body }: StoredSession,
  resources: StoredResource[],
  nowMs: number,
): Tx<void> {
  yield* writeSessionBody(id, { ...body, resources }, nowMs)
}

const findResource = ({ body }: StoredSession, id: string): StoredResource => {
  const found = body.resources.find(({ resource }) => resource.id === id)
  if (found === undefined) throw notFound('resource', id)
  return found
}
