import type { NewEvent, StoredEvent } from '../../database/stored-event.ts'
import type { SessionBody } from '../../log/session-body.ts'
import type { Model, ModelReply } from '../models/model.ts'
import { ModelFailure } from '../models/model-failure.ts'
import { type BrainBench, message } from './brain-bench.ts'
import { type Crash, crashAt } from './crashing-store.ts'

/** One answer of the model and the events around it. */
export interface Line {
  /** Tools it calls; empty means that it answers with text. */
  calls: readonly ('bash' | 'read' | 'write' | 'ask_colleague' | 'teleport')[]
  /** How often it fails first. */
  failures: number
  /** What the client sends during the request. */
  meanwhile: 'nothing' | 'message' | 'interrupt'
}

/** A whole session: the model's answers and the client's replies. */
export interface Script {
  lines: readonly Line[]
  messages: number
  /** Whether calls are confirmed one at a time. */
  oneByOne: boolean
  denies: boolean
}

export interface Played {
  log: readonly StoredEvent[]
  /** How often each answer was given, and how often each call ran. */
  answered: ReadonlyMap<number, number>
  ran: ReadonlyMap<string, number>
  writes: number
}

const LEASE_MS = 1000

/** Plays a script to its end; each brain in `crashes` dies in turn and a new one continues. */
export const play = async (
  bench: BrainBench,
  id: string,
  script: Script,
  body: Partial<SessionBody>,
  crashes: readonly Crash[],
): Promise<Played> => {
  const answered = new Map<number, number>()
  const ran = new Map<string, number>()
  const model = modelOf(bench, id, script, answered)
  await bench.addSession(id, body)
  let sent = 0
  let writes = 0
  let rounds = 0
  for (let brains = 0; ; brains += 1) {
    const { store, ...count } = crashAt(bench.database, crashes[brains])
    const brain = bench.brain(
      model,
      async ({ id: useId, name }) => {
        ran.set(useId, (ran.get(useId) ?? 0) + 1)
        return { content: [{ type: 'text', text: `${name} ran` }], isError: false }
      },
      { leaseMs: LEASE_MS, limits: { retryFirstMs: 10, outageMs: 1000 } },
      store,
    )
    while (!count.crashed()) {
      rounds += 1
      if (rounds > 500) throw new Error('the session never comes to an end')
      const end = await brain.wake(id).catch(() => 'failed' as const)
      if (count.crashed()) break
      if (end === 'waits') {
        bench.nowMs += 10_000
        continue
      }
      if (end !== 'rests') throw new Error(`the wake ended as ${end}`)
      const log = await bench.log(id)
      const replies = clientReplies(log, script)
      if (replies.length > 0) {
        await bench.send(id, ...replies)
        continue
      }
      if (sent === script.messages) return { log, answered, ran, writes: writes + count.writes() }
      sent += 1
      await bench.send(id, message(`message ${sent}`))
    }
    writes += count.writes()
    // Waits until the dead brain's lease has expired.
    bench.nowMs += LEASE_MS + 1
  }
}

const USAGE = { input: 10, output: 1, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 }

/**
 * Answers depend only on how often the model has answered before, so a crash does not change them.
 */
const modelOf = (
  bench: BrainBench,
  id: string,
  { lines }: Script,
  answered: Map<number, number>,
): Model => ({
  provider: 'scripted',
  account: 'scripted',
  free: false,
  ask: async (_, { signal, onDelta }): Promise<ModelReply> => {
    const log = await bench.log(id)
    const ends = log.filter(({ type }) => type === 'span.model_request_end')
    const index = ends.filter(({ body }) => body.is_error === false).length
    const failed = ends.filter(({ hidden }) => hidden?.cause === 'failed').length
    const before = lines.slice(0, index).reduce((sum, line) => sum + line.failures, 0)
    const line = lines[index]
    const say = (text: string): ModelReply => {
      answered.set(index, (answered.get(index) ?? 0) + 1)
      return { content: [{ type: 'text', text }], stop: 'end_turn', usage: USAGE }
    }
    if (line === undefined) return say('the end')
    onDelta({ type: 'text', index: 0, text: 'so' })
    if (line.meanwhile !== 'nothing') await bench.send(id, meanwhile(line, index))
    const interrupted = log.some(({ body }) => body.line === index)
    if (line.meanwhile === 'interrupt' && !interrupted) await aborted(signal)
    if (failed - before < line.failures) throw new ModelFailure('overloaded', 'not now')
    if (line.calls.length === 0) return say(`line ${index}`)
    answered.set(index, (answered.get(index) ?? 0) + 1)
    return {
      content: line.calls.map((name, at) => ({
        type: 'tool_use',
        id: `call_${index}_${at}`,
        name,
        input: {},
      })),
      stop: 'tool_use',
      usage: USAGE,
    }
  },
})

/** Sent once, however often the model is asked. */
const meanwhile = (line: Line, index: number): NewEvent =>
  line.meanwhile === 'interrupt'
    ? { type: 'user.interrupt', body: { line: index }, queued: true, dedup: `line ${index}` }
    : { ...message(`meanwhile ${index}`), dedup: `line ${index}` }

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    if (signal.aborted) reject(signal.reason)
  })

/** The client's replies to a session that waits for them, derived from its log alone. */
const clientReplies = (log: readonly StoredEvent[], script: Script): NewEvent[] => {
  const reason = log.findLast(({ type }) => type === 'session.status_idle')?.body.stop_reason
  if (reason === undefined || reason === null || typeof reason !== 'object') return []
  if (!('event_ids' in reason) || !Array.isArray(reason.event_ids)) return []
  const asked = script.oneByOne ? reason.event_ids.slice(0, 1) : reason.event_ids
  return asked.map((eventId: string, at): NewEvent => {
    const use = log.find((event) => event.id === eventId)
    if (use?.type === 'agent.custom_tool_use')
      return {
        type: 'user.custom_tool_result',
        body: { custom_tool_use_id: eventId, content: [{ type: 'text', text: 'answer' }] },
        dedup: `answer ${eventId}`,
      }
    const result = script.denies && at === 0 ? 'deny' : 'allow'
    return {
      type: 'user.tool_confirmation',
      body: { tool_use_id: eventId, result },
      queued: true,
      dedup: `answer ${eventId}`,
    }
  })
}
