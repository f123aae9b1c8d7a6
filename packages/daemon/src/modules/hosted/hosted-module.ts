import { API, type ClientEvent, type ModuleHealth, reasonOf } from '@steward/contract'
import { type DaemonModule, handle } from '../../module.ts'
import type { HostedCalls, HostedSessions, HostedUsage } from '../../ports.ts'
import { describeEvent } from './describe-event.ts'
import { findClient, getClient } from './find-client.ts'
import { createHostedKeeper } from './hosted-keeper.ts'
import { listHostedSessions } from './list-sessions.ts'
import type { HostedModulePorts } from './ports.ts'
import { createEndingReports } from './report-endings.ts'
import { viewHosted } from './view-hosted.ts'

/** Batches a burst of events. */
const GATHER_MS = 500

const OFF =
  'hosted.enabled is false; set it to true in settings.json, or run `steward hosted serve`'

export interface HostedModule extends DaemonModule {
  calls: HostedCalls
  sessions: HostedSessions
  usage: HostedUsage
}

const INPUT_CHARS = 1000

/** Serves hosted agents if the settings enable them, and shows those of this data home. */
export const createHostedModule = (ports: HostedModulePorts): HostedModule => {
  const { bus, log, setTimer } = ports
  const reportEndings = createEndingReports(ports)
  const endings: Array<() => void> = []
  let counts: Readonly<Record<string, number>> = {}
  let stopHearing = (): void => undefined
  let cancelLook: (() => void) | undefined

  const tell = (): void => bus.publish('live.changed', { topics: ['hosted'] })
  const look = async (): Promise<void> => {
    cancelLook = undefined
    const stand = keeper.stand()
    // If the store does not answer now, the next event retries.
    if (stand.is === 'running') counts = await stand.server.countSessions().catch(() => counts)
    tell()
  }
  const lookSoon = (): void => {
    cancelLook ??= setTimer(GATHER_MS, () => void look())
  }
  const keeper = createHostedKeeper(ports, () => {
    stopHearing()
    const stand = keeper.stand()
    stopHearing = stand.is === 'running' ? stand.server.hear(lookSoon) : () => undefined
    counts = {}
    void look()
  })

  const send = async (id: string, event: ClientEvent): Promise<{ ok: true }> => {
    await (await getClient(ports)).send(id, event)
    tell()
    return { ok: true }
  }

  const confirm = (
    id: string,
    callId: string,
    { allow, message }: { allow: boolean; message?: string | undefined },
  ): Promise<{ ok: true }> =>
    send(id, {
      type: 'user.tool_confirmation',
      tool_use_id: callId,
      result: allow ? 'allow' : 'deny',
      ...(message && !allow ? { deny_message: message } : {}),
    })

  return {
    calls: {
      waiting: async () => {
        const client = await findClient(ports)
        const { sessions } = client === undefined ? { sessions: [] } : await client.overview(false)
        // Asked after every change and each minute, so this is also when endings are noticed.
        void reportEndings(sessions).catch((thrown: unknown) =>
          log.warn(`hosted: an ending is not reported: ${reasonOf(thrown)}`),
        )
        return sessions.flatMap(({ id, title, agent, waiting }) =>
          waiting
            .filter(({ needs }) => needs === 'permission')
            .map(({ id: callId, tool, input, at }) => ({
              sessionId: id,
              callId,
              name: title ?? `A session of ${agent.name}`,
              tool,
              input: Object.values(input).map(String).join(' ').slice(0, INPUT_CHARS),
              at,
            })),
        )
      },
      answer: async ({ sessionId, callId }, decision) => {
        await confirm(sessionId, callId, decision)
      },
    },
    sessions: { list: () => listHostedSessions(ports) },
    usage: {
      store: async () => {
        const stand = keeper.stand()
        if (stand.is !== 'running' || stand.server.facts.engine === 'sqlite') return undefined
        const { facts, modelCalls } = stand.server
        return { place: facts.database, callsAfter: modelCalls }
      },
    },
    name: 'hosted',
    handlers: [
      handle(API.getHosted, ({ query }) => viewHosted(ports, keeper.stand(), query.archived)),
      handle(API.getHostedEvents, async ({ params, query }) => {
        const client = await getClient(ports)
        const [{ hands }, { events, ...log }] = await Promise.all([
          client.status(),
          client.log(params.id, query),
        ])
        return { ...log, entries: events.map(describeEvent), isolated: hands.isolated }
      }),
      handle(API.sendHostedMessage, ({ params, body }) =>
        send(params.id, { type: 'user.message', content: [{ type: 'text', text: body.text }] }),
      ),
      handle(API.interruptHosted, ({ params }) => send(params.id, { type: 'user.interrupt' })),
      handle(API.answerHostedCall, ({ params, body: { callId, allow, message } }) =>
        confirm(params.id, callId, { allow, message }),
      ),
      handle(API.archiveHosted, async ({ params }) => {
        await (await getClient(ports)).archive(params.id)
        tell()
        return { ok: true as const }
      }),
    ],
    start: async () => {
      endings.push(bus.subscribe('settings.changed', () => void keeper.follow()))
      // Not awaited: it calls the model provider, which must not delay the daemon.
      void keeper.follow()
    },
    stop: async () => {
      for (const end of endings.splice(0)) end()
      await keeper.stop()
      stopHearing()
      cancelLook?.()
    },
    health: (): ModuleHealth => {
      const stand = keeper.stand()
      if (stand.is === 'off') return { status: 'unavailable', reasons: [OFF] }
      if (stand.is === 'starting') return { status: 'ok', note: 'it is starting' }
      if (stand.is === 'failed') return { status: 'failed', reasons: [stand.reason] }
      const { address, facts } = stand.server
      const { engine, driver, isolated, limits, network, model } = facts
      const isolation = isolated ? driver : 'NO ISOLATION'
      return {
        status: 'ok',
        address,
        engine,
        driver,
        isolation,
        limits,
        network,
        model,
        sessions: counts,
      }
    },
  }
}
