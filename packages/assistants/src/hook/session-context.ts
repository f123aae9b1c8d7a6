import { type HostEvent, isJsonObject, parseJson } from '@steward/contract'
import { textOf } from '../payload/fields.ts'
import type { HookPorts } from './hook-ports.ts'
import { requestDaemon } from './post-to-daemon.ts'
import type { HookCall } from './read-arguments.ts'

/** A resumed or forked session has the context already. */
const KNOWS_IT: ReadonlySet<unknown> = new Set(['resume', 'fork'])

/** A session without its context reports nothing, so a busy machine gets time; the hook may take 5 s. */
const WAIT_MS = 2500

/** What the daemon tells an assistant whose session begins; undefined without a daemon. */
export const findSessionContext = async (
  event: HostEvent,
  { origin }: Pick<HookCall, 'origin'>,
  ports: HookPorts,
): Promise<string | undefined> => {
  const { session_id, cwd, agent_id, source } = event
  if (session_id === '' || agent_id !== undefined || KNOWS_IT.has(source)) return undefined
  if (!ports.isDaemonUp()) return undefined
  const body = JSON.stringify({ session_id, cwd, skill: origin === 'plugin' })
  const answer = await requestDaemon(ports.home, '/hooks/session-context', body, WAIT_MS)
  if (answer?.status !== 200) return undefined
  const parsed = parseJson(answer.body, 'the session context')
  return parsed.ok && isJsonObject(parsed.value) ? textOf(parsed.value, 'context') : undefined
}
