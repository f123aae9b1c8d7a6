import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { StoredEvent } from '../../database/stored-event.ts'
import { findDueSessions } from '../../log/lease.ts'
import type { SessionBody } from '../../log/session-body.ts'
import { listChildren, type StoredSession } from '../../log/stored-session.ts'
import type { Model, ModelReply, ModelRequest } from '../models/model.ts'
import { AGENT, type BrainBench, message, openBench, writesApart } from '../testing/brain-bench.ts'
import { type Crash, crashAt } from '../testing/crashing-store.ts'

let bench: BrainBench
beforeAll(() => {
  bench = openBench()
})
afterAll(() => bench.close())

const WORKERS = ['Ada', 'Ben']
const BODY: Partial<SessionBody> = {
  agent: {
    ...AGENT,
    system: 'Lead',
    multiagent: {
      type: 'coordinator',
      agents: WORKERS.map((name) => {
        const { multiagent: _, ...agent } = AGENT
        return { ...agent, id: `agent_${name}`, name, system: name }
      }),
    },
  },
}
const USAGE = { input: 10, output: 1, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 }
const says = (text: string): ModelReply => ({
  content: [{ type: 'text', text }],
  stop: 'end_turn',
  usage: USAGE,
})
const callsTools = (calls: readonly { name: string; input: object }[]): ModelReply => ({
  content: calls.map(({ name, input }, at) => ({ type: 'tool_use', id: `c${at}`, name, input })),
  stop: 'tool_use',
  usage: USAGE,
})

/** What an agent answers depends only on its conversation, so a crash does not change it. */
const answer = ({ system, messages }: ModelRequest): ModelReply => {
  const turns = messages.filter(({ role }) => role === 'assistant').length
  const name = system?.split('\n')[0] ?? ''
  if (name !== 'Lead')
    return turns === 0
      ? callsTools([{ name: 'bash', input: { command: name } }])
      : says(`${name} is done.`)
  if (turns === 0)
    return callsTools(
      WORKERS.map((agent) => ({
        name: 'send_to_agent',
        input: { agent, message: `Work, ${agent}.` },
      })),
    )
  return says(`Turn ${turns}.`)
}

interface Played {
  session: StoredSession
  threads: readonly StoredSession[]
  log: readonly StoredEvent[]
  logs: readonly (readonly StoredEvent[])[]
  asked: number
  ran: ReadonlyMap<string, number>
  writes: number
}

const LEASE_MS = 1000
let played = 0

/** Plays a delegation to its end; a brain dies at the given write and another one continues. */
const play = async (crash?: Crash): Promise<Played> => {
  played += 1
  const id = `sesn_threads_${played}`
  const ran = new Map<string, number>()
  let asked = 0
  const model: Model = {
    provider: 'scripted',
    account: 'scripted',
    free: false,
    ask: async (request) => {
      asked += 1
      return answer(request)
    },
  }
  await bench.addSession(id, BODY)
  await bench.send(id, message('Share the work.'))
  let writes = 0
  for (let brains = 0; brains < 2; brains += 1) {
    const { store, ...count } = crashAt(bench.database, brains === 0 ? crash : undefined)
    const brain = bench.brain(
      model,
      async ({ id: use }) => {
        ran.set(use, (ran.get(use) ?? 0) + 1)
        return { content: [{ type: 'text', text: 'ran' }], isError: false }
      },
      { leaseMs: LEASE_MS },
      store,
    )
    for (let rounds = 0; !count.crashed(); rounds += 1) {
      if (rounds > 100) throw new Error('the session never comes to an end')
      const [next] = await bench.database.read(() => findDueSessions(bench.nowMs, 1))
      if (next === undefined) break
      await brain.wake(next).catch(() => undefined)
    }
    writes += count.writes()
    bench.nowMs += LEASE_MS + 1
  }
  const threads = await bench.database.read(() => listChildren(id))
  return {
    session: await bench.session(id),
    threads,
    log: await bench.log(id),
    logs: await Promise.all(threads.map((thread) => bench.log(thread.id))),
    asked,
    ran,
    writes,
  }
}

const countOf = (log: readonly StoredEvent[], type: string): number =>
  log.filter((event) => event.type === type).length

const check = ({ session, threads, log, logs, asked, ran }: Played): void => {
  expect(session.summary).toMatchObject({ status: 'idle', stopReason: { type: 'end_turn' } })
  expect(countOf(log, 'session.thread_created')).toBe(2)
  expect(countOf(log, 'agent.thread_message_sent')).toBe(2)
  expect(countOf(log, 'session.status_running')).toBe(1)
  expect(countOf(log, 'session.status_idle')).toBe(1)
  const reports = log.filter(({ type }) => type === 'agent.thread_message_received')
  expect(reports.map(({ body }) => JSON.stringify(body.content)).toSorted()).toEqual(
    WORKERS.map((name) => JSON.stringify([{ type: 'text', text: `${name} is done.` }])),
  )
  for (const each of [log, ...logs]) {
    expect(each.map(({ seq }) => seq)).toEqual(each.map((_, index) => index + 1))
    expect(new Set(each.map(({ id }) => id)).size).toBe(each.length)
  }
  for (const each of logs) {
    expect(countOf(each, 'agent.thread_message_received')).toBe(1)
    expect(countOf(each, 'session.thread_status_idle')).toBe(1)
    expect(countOf(each, 'agent.thread_message_sent')).toBe(1)
  }
  // What was answered is never asked again; only a request whose process died is.
  const ends = [log, ...logs].flat().filter(({ type }) => type === 'span.model_request_end')
  expect(asked).toBeLessThanOrEqual(ends.length)
  const answers = ends.filter(({ body }) => body.is_error === false).length
  expect(ends.length - answers).toBeLessThanOrEqual(1)
  expect([...ran.values()].every((times) => times === 1)).toBe(true)
  // The session's usage is that of all its threads.
  const tokens = [log, ...logs]
    .flat()
    .reduce(
      (sum, { type, body }) => sum + (type === 'span.model_request_end' ? usedBy(body) : 0),
      0,
    )
  expect(session.summary.inputTokens).toBe(tokens)
  const delegated = threads.reduce((sum, { summary }) => sum + summary.inputTokens, 0)
  expect(session.summary.delegated?.inputTokens).toBe(delegated)
}

const usedBy = ({ model_usage }: StoredEvent['body']): number => Object(model_usage).input_tokens

describe('a coordinator and its threads', () => {
  test('survive the death of their brain at any write, without repeating anything', async () => {
    const whole = await play()
    check(whole)
    for (let write = 1; write <= whole.writes; write += writesApart(bench))
      for (const when of ['before', 'after'] as const) check(await play({ write, when }))
  }, 120_000)

  test('one process works on all threads of a session at a time', async () => {
    const { session, threads } = await play()
    const thread = threads[0]?.id ?? ''
    const other = bench.brain({
      provider: 'scripted',
      account: 'scripted',
      free: false,
      ask: async () => {
        // While the other process holds the coordinator, a thread is not due for this one.
        await bench.send(thread, message('more'))
        expect(
          await bench.database.read(() => findDueSessions(bench.nowMs, 10, 'a third brain')),
        ).toEqual([])
        expect(await bench.brain(model()).wake(thread)).toBe('taken')
        return says('alone')
      },
    })
    await bench.send(session.id, message('again'))
    expect(await other.wake(session.id)).toBe('rests')
    expect(await bench.brain(model()).wake(thread)).toBe('rests')
  })
})

const model = (): Model => ({
  provider: 'scripted',
  account: 'scripted',
  free: false,
  ask: async () => says('x'),
})
