/**
 * The clients of the bench in a separate process, so that their cost is not counted as the
 * server's.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { percentile } from '../daemon/median.ts'
import { type ApiClient, createApiClient } from './api-client.ts'
import { order, type Report } from './orders.ts'

const idOf = z.looseObject({ id: z.string() })
const idle = z.looseObject({
  stop_reason: z.looseObject({ type: z.string(), event_ids: z.array(z.string()).optional() }),
})

interface Session {
  id: string
  streams: number
  /** Resolves the running turn. */
  finish: (() => void) | undefined
}

const WRITTEN_AT = /"type":"([^"]+)","processed_at":"([^"]+)"/

const createDriver = (address: string, key: string) => {
  const client: ApiClient = createApiClient(address, key)
  const sessions: Session[] = []
  let agentId = ''
  let environmentId = ''
  let delaysMs: number[] = []
  let events = 0
  let frames = 0

  const prepare = async (): Promise<void> => {
    const agent = await client.call('POST', '/v1/agents', {
      name: `bench ${crypto.randomUUID()}`,
      model: 'claude-sonnet-4-5',
      tools: [
        {
          type: 'custom',
          name: 'look_up',
          description: 'Looks something up.',
          input_schema: { type: 'object', properties: { question: { type: 'string' } } },
        },
      ],
    })
    agentId = idOf.parse(agent).id
    const name = `bench ${crypto.randomUUID()}`
    environmentId = idOf.parse(await client.call('POST', '/v1/environments', { name })).id
  }

  const create = async (count: number): Promise<void> => {
    if (agentId === '') await prepare()
    await inParallel(count, async () => {
      const body = { agent: agentId, environment_id: environmentId }
      const made = await client.call('POST', '/v1/sessions', body)
      sessions.push({ id: idOf.parse(made).id, streams: 0, finish: undefined })
    })
  }

  const onFrame = (session: Session, isFirst: boolean, frame: string): void => {
    const [, type, at] = WRITTEN_AT.exec(frame) ?? []
    if (frame.startsWith('event: ping')) return
    frames += 1
    if (isFirst) events += 1
    if (type === undefined || at === undefined) return
    delaysMs.push(Date.now() - Date.parse(at))
    if (isFirst && type === 'session.status_idle') void onIdle(session, frame)
  }

  const onIdle = async (session: Session, frame: string): Promise<void> => {
    const data: unknown = JSON.parse(frame.slice(frame.indexOf('data: ') + 6))
    const { stop_reason } = idle.parse(data)
    if (stop_reason.type !== 'requires_action') {
      session.finish?.()
      return
    }
    await client.call('POST', `/v1/sessions/${session.id}/events`, {
      events: (stop_reason.event_ids ?? []).map((id) => ({
        type: 'user.custom_tool_result',
        custom_tool_use_id: id,
        content: [{ type: 'text', text: 'Over there, behind the harbour.' }],
      })),
    })
  }

  const open = (each: number): Promise<void> =>
    inParallel(sessions.length * each, async (index) => {
      const session = sessions[index % sessions.length]
      if (session === undefined) return
      session.streams += 1
      const isFirst = session.streams === 1
      await client.stream(`/v1/sessions/${session.id}/events/stream`, (frame) =>
        onFrame(session, isFirst, frame),
      )
    })

  const turn = async (session: Session): Promise<void> => {
    const finished = new Promise<void>((resolve) => {
      session.finish = resolve
    })
    await client.call('POST', `/v1/sessions/${session.id}/events`, {
      events: [{ type: 'user.message', content: [{ type: 'text', text: 'Look it up.' }] }],
    })
    await finished
  }

  const play = async (turns: number, spreadMs: number): Promise<Report> => {
    delaysMs = []
    events = 0
    frames = 0
    const startedMs = performance.now()
    await Promise.all(
      sessions.map(async (session, index) => {
        await sleep((spreadMs * index) / sessions.length)
        for (let count = 0; count < turns; count++) await turn(session)
      }),
    )
    const elapsedMs = performance.now() - startedMs
    return {
      events,
      frames,
      elapsedMs,
      p50Ms: percentile(delaysMs, 0.5),
      p99Ms: percentile(delaysMs, 0.99),
    }
  }

  return { create, open, play, sessions, close: client.close }
}

/** Enough concurrency to keep the server busy without filling its backlog. */
const AT_ONCE = 64

const inParallel = async (count: number, act: (index: number) => Promise<void>): Promise<void> => {
  let next = 0
  const work = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) await act(index)
  }
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, count) }, work))
}

const [address = '', key = ''] = process.argv.slice(2)
const driver = createDriver(address, key)

const obey = async (message: unknown): Promise<unknown> => {
  const wanted = order.parse(message)
  if (wanted.type === 'create') await driver.create(wanted.count)
  if (wanted.type === 'open') await driver.open(wanted.each)
  if (wanted.type === 'play') return driver.play(wanted.turns, wanted.spreadMs)
  return { sessions: driver.sessions.map(({ id }) => id) }
}

process.on('message', (message) => {
  obey(message).then(
    (answer) => process.send?.(answer),
    (thrown: unknown) => {
      console.error(thrown)
      process.exit(1)
    },
  )
})
process.on('disconnect', () => process.exit(0))
