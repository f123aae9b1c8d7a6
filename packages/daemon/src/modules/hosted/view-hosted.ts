import { type API, type HostedServerView, type RouteAnswer, reasonOf } from '@steward/contract'
import { describeEvent } from './describe-event.ts'
import { findClient } from './find-client.ts'
import type { HostedClient } from './hosted-client.ts'
import type { Stand } from './hosted-keeper.ts'
import type { HostedModulePorts } from './ports.ts'

type View = RouteAnswer<typeof API.getHosted>

/** The overview of hosted agents; problems are part of the answer, not thrown. */
export const viewHosted = async (
  ports: HostedModulePorts,
  stand: Stand,
  archived: boolean,
): Promise<View> => {
  const clean = (text: string): string => ports.redactor().redactText(text).value
  const enabled = ports.settings().hosted.enabled
  const fault = stand.is === 'failed' ? clean(stand.reason) : null
  const nothing = { enabled, server: null, sessions: [], more: false }
  try {
    const client = await findClient(ports)
    if (client === undefined)
      return { ...nothing, state: stand.is === 'running' ? 'starting' : stand.is, reason: fault }
    const [server, { sessions, more }] = await Promise.all([
      viewServer(client, stand),
      client.overview(archived),
    ])
    const shown = sessions.map(({ last, ...row }) => ({
      ...row,
      last: last === null ? null : describeEvent(last),
    }))
    return { state: 'on', enabled, reason: fault, server, sessions: shown, more }
  } catch (thrown) {
    if (stand.is === 'starting') return { ...nothing, state: 'starting', reason: null }
    return { ...nothing, state: 'unreachable', reason: fault ?? clean(reasonOf(thrown)) }
  }
}

const viewServer = async (client: HostedClient, stand: Stand): Promise<HostedServerView> => {
  const { engine, hands, sessions } = await client.status()
  const own = stand.is === 'running' ? stand.server : undefined
  const isOwn = own?.address === client.address
  return {
    address: client.address,
    by: isOwn ? 'daemon' : 'another',
    engine,
    ...hands,
    model: isOwn ? own.facts.model : null,
    counts: sessions,
  }
}
