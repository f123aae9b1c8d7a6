import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AttentionAnswer, AttentionOutcome, AttentionRequest } from '@steward/contract'
import { resolveHome } from '@steward/platform'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createVirtualClock } from '../../testing/virtual-clock.ts'
import { openRequestStore, type RequestStore } from './request-store.ts'
import { createRequests } from './requests.ts'

const root = mkdtempSync(join(tmpdir(), 'steward-requests-'))
let store: RequestStore
beforeAll(() => {
  store = openRequestStore(resolveHome({ STEWARD_HOME: root }))
})
afterAll(async () => {
  await store.end()
  rmSync(root, { recursive: true, force: true })
})

const START_MS = Date.UTC(2026, 10, 16)
const WAIT_MS = 60_000
let count = 0

const requestAt = (atMs: number): AttentionRequest => ({
  id: `request-${++count}`,
  host: 'claude',
  session_id: 's',
  reason: 'permission',
  tool_name: 'Bash',
  preview: '{"command":"touch mark"}',
  detail: 'Bash: touch mark',
  asked: { decides: true, questions: [], fields: [], takesText: false },
  at: new Date(atMs).toISOString(),
  waitMs: WAIT_MS,
})

/** A hook, a terminal and devices around one request; the daemon can be killed at any time. */
const openScene = () => {
  const clock = createVirtualClock(START_MS)
  const request = requestAt(clock.now())
  const received: AttentionOutcome[] = []
  const accepted: AttentionAnswer[] = []
  const refused: unknown[] = []
  const recorded: AttentionAnswer[] = []
  const pending = new Set<Promise<unknown>>()
  const ports = {
    store,
    now: clock.now,
    setTimer: clock.setTimer,
    onChange: () => undefined,
    record: async (_: unknown, answer: AttentionAnswer) => {
      recorded.push(answer)
    },
  }
  let requests = createRequests(ports)
  let hook = new AbortController()
  const keep = (work: Promise<unknown>): void => {
    pending.add(work)
    void work.finally(() => pending.delete(work))
  }
  const ask = (): void => {
    hook = new AbortController()
    keep(
      requests.ask(request, hook.signal).then(
        (outcome) => received.push(outcome),
        () => undefined,
      ),
    )
  }
  const answer = (given: AttentionAnswer): void =>
    keep(
      requests.answer(request.id, given, { name: 'a test' }).then(
        () => accepted.push(given),
        (error: unknown) => refused.push(error),
      ),
    )
  const row = (fields: object) =>
    requests.take([
      {
        timestamp: new Date(clock.now() + 1).toISOString(),
        session_id: 's',
        source: 'tool-activity',
        type: 'tool_use',
        tool_name: 'Bash',
        tool_input_preview: request.preview,
        agent_id: null,
        ...fields,
      },
    ])
  return {
    request,
    clock,
    received,
    accepted,
    refused,
    recorded,
    ask,
    answer,
    row,
    isOpen: () => requests.open().length > 0,
    isPending: () => pending.size > 0,
    disconnect: () => hook.abort(),
    /** Nothing of the old process goes on; the hook sees a broken connection. */
    restart: () => {
      requests.stop()
      hook.abort()
      requests = createRequests(ports)
      requests.start()
    },
  }
}

const ALLOW = { decision: 'allow' } as const
const DENY = { decision: 'deny' } as const

describe('a request', () => {
  it('is allowed only by an accepted answer, and by one at most, in any order of events', async () => {
    const step = fc.constantFrom(
      'ask',
      'allow',
      'deny',
      'terminal',
      'disconnect',
      'restart',
      'wait',
    )
    const steps = fc.array(fc.tuple(step, fc.boolean()), { minLength: 1, maxLength: 14 })
    await fc.assert(
      fc.asyncProperty(steps, async (script) => {
        const scene = openScene()
        scene.ask()
        await scene.clock.advanceInTurns(0)
        let closedAt: number | undefined
        for (const [name, settles] of script) {
          if (name === 'ask') scene.ask()
          else if (name === 'allow') scene.answer(ALLOW)
          else if (name === 'deny') scene.answer(DENY)
          else if (name === 'terminal') {
            if (scene.isOpen()) closedAt ??= scene.accepted.length
            scene.row({})
          } else if (name === 'disconnect') scene.disconnect()
          else if (name === 'restart') scene.restart()
          else await scene.clock.advanceInTurns(WAIT_MS / 3)
          if (settles) await scene.clock.advanceInTurns(0)
        }
        // A hook that asks again gets what was decided; then everything ends.
        scene.ask()
        await scene.clock.advanceInTurns(2 * WAIT_MS)
        expect(scene.isPending()).toBe(false)
        expect(scene.isOpen()).toBe(false)
        expect(scene.accepted.length).toBeLessThanOrEqual(1)
        expect(scene.recorded).toEqual(scene.accepted)
        const answers = scene.received.flatMap((outcome) =>
          outcome.status === 'answered' ? [outcome.answer] : [],
        )
        for (const answer of answers) expect(answer).toEqual(scene.accepted[0])
        // An accepted answer reaches the assistant, and none is accepted after the terminal's.
        if (scene.accepted.length === 1) expect(answers.length).toBeGreaterThan(0)
        if (closedAt === 0) expect(scene.accepted).toEqual([])
      }),
      { numRuns: 150 },
    )
  }, 60_000)

  it('is withdrawn by its own call and by later ones, not by calls that run beside it', async () => {
    const scene = openScene()
    scene.ask()
    await scene.clock.advanceInTurns(1000)
    scene.row({ tool_input_preview: 'another', duration_ms: 5000 })
    scene.row({ tool_input_preview: 'another', agent_id: 'a subagent' })
    scene.row({ session_id: 'another' })
    scene.row({ type: 'notification', notification_type: 'permission_prompt' })
    expect(scene.isOpen()).toBe(true)
    scene.row({ tool_input_preview: 'another', duration_ms: 10 })
    expect(scene.isOpen()).toBe(false)
    scene.answer(ALLOW)
    await scene.clock.advanceInTurns(0)
    expect(scene.received).toMatchObject([{ status: 'closed' }])
    expect(scene.refused).toMatchObject([
      { code: 'attention_closed', message: expect.stringContaining('terminal') },
    ])
  })

  it('keeps an answer that came while no daemon ran until the hook asks again', async () => {
    const scene = openScene()
    scene.ask()
    await scene.clock.advanceInTurns(0)
    scene.restart()
    scene.answer(ALLOW)
    // A busy machine: the daemon reads answers of devices long before it listens to hooks.
    await scene.clock.advanceInTurns(20_000)
    expect(scene.refused).toEqual([])
    scene.ask()
    await scene.clock.advanceInTurns(0)
    expect(scene.received).toEqual([{ status: 'answered', answer: ALLOW }])
  })

  it('takes no answer before the hook gives up, nor one for a hook that is gone', async () => {
    const late = openScene()
    late.ask()
    await late.clock.advanceInTurns(WAIT_MS - 500)
    late.answer(ALLOW)
    await late.clock.advanceInTurns(0)
    expect(late.received).toMatchObject([{ status: 'closed' }])
    expect(late.refused).toMatchObject([{ code: 'attention_closed' }])
    const gone = openScene()
    gone.ask()
    await gone.clock.advanceInTurns(0)
    gone.disconnect()
    gone.answer(ALLOW)
    await gone.clock.advanceInTurns(6000)
    expect(gone.refused).toMatchObject([{ code: 'attention_closed' }])
    expect(gone.accepted).toEqual([])
  })

  it('keeps an answer for a hook whose daemon was killed before it could tell', async () => {
    const scene = openScene()
    scene.ask()
    await scene.clock.advanceInTurns(0)
    scene.restart()
    scene.answer(ALLOW)
    await scene.clock.advanceInTurns(600)
    scene.ask()
    await scene.clock.advanceInTurns(0)
    expect(scene.received).toEqual([{ status: 'answered', answer: ALLOW }])
    expect(scene.accepted).toEqual([ALLOW])
  })

  it('takes only answers that fit', async () => {
    const scene = openScene()
    scene.ask()
    await scene.clock.advanceInTurns(0)
    scene.answer({ choice: 'Blue' })
    scene.answer({ text: 'yes' })
    scene.answer({ content: { name: 'Ada' } })
    scene.answer({ decision: 'allow', scope: 'always' })
    await scene.clock.advanceInTurns(0)
    expect(scene.refused).toHaveLength(4)
    for (const error of scene.refused) expect(error).toMatchObject({ code: 'invalid_input' })
    expect(scene.isOpen()).toBe(true)
  })
})
