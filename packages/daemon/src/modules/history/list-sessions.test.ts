import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { StewardEvent } from '@steward/contract'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openSessionIndex, type SessionIndex } from './session-index.ts'

const NOW = Date.UTC(2026, 10, 17, 12)
const QUIET_MS = NOW - 7_200_000

let root: string
let made = 0
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'steward-search-'))
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

interface GivenSession {
  prompt: string
  message: string
  project: string
}

/** The first is the last active; each has one prompt and one answer. */
const indexOf = (given: readonly GivenSession[]): SessionIndex => {
  const index = openSessionIndex(join(root, `${++made}.sqlite`))
  const rows = given.flatMap(({ prompt, message, project }, number) => {
    const atMs = NOW - number * 60_000
    const own = {
      timestamp: new Date(atMs).toISOString(),
      session_id: `s${number}`,
      source: 'tool-activity' as const,
      host: 'claude',
      cwd: project,
    }
    const events: StewardEvent[] = [
      { ...own, type: 'user_prompt', prompt },
      { ...own, type: 'turn_end', message_preview: message },
    ]
    return events.map((event) => ({ event, atMs, start: 0, end: 1 }))
  })
  // The answers come later, so that texts change in the index.
  for (const [turn, type] of ['user_prompt', 'turn_end'].entries()) {
    const own = rows.filter(({ event }) => event.type === type)
    const chunk = { from: turn, to: turn + 1 }
    index.add('tool-activity', { inode: '1', fingerprint: 'f' }, chunk, own)
  }
  return index
}

const WORDS = ['harbour', 'Wall', 'roof', 'a"b', 'zz', 'x', '港口', 'ö*', 'AND', '-q']
const text = fc.array(fc.constantFrom(...WORDS), { maxLength: 3 }).map((words) => words.join(' '))

it('finds the sessions with all words, of any length and in any text', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ prompt: text, message: text, project: text }), { maxLength: 8 }),
      fc.oneof(fc.constantFrom(...WORDS, 'q', 'b z', 'all x', 'OO', '口'), text),
      (given, q) => {
        if (q === '') return
        const index = indexOf(given)
        const all = index.list({ limit: 50, quietMs: QUIET_MS }).sessions
        const words = q.toLowerCase().split(' ')
        const wanted = all.filter(({ name, prompt, project, lastMessage }) => {
          const texts = [name, prompt, project, lastMessage].map((each) => each?.toLowerCase())
          return words.every((word) => texts.some((each) => each?.includes(word)))
        })
        const found = index.list({ limit: 50, quietMs: QUIET_MS, q })
        expect(found.sessions).toEqual(wanted)
        expect(found).toMatchObject({ total: wanted.length, isAtLeast: false })
        void index.close()
      },
    ),
    { numRuns: 150 },
  )
}, 120_000)

const MANY = 3000

it('pages through a text that very many sessions have, and counts a part of them', () => {
  const index = indexOf(
    Array.from({ length: MANY }, (_, number) => ({
      prompt: `Build wall ${number} of the harbour`,
      message: number === MANY - 1 ? 'the crane is old' : 'done',
      project: number % 2 === 0 ? '/even' : '/odd/part',
    })),
  )
  const first = index.list({ limit: 10, quietMs: QUIET_MS, q: 'HARBOUR' })
  expect(first.sessions.map(({ id }) => id)).toEqual(Array.from({ length: 10 }, (_, n) => `s${n}`))
  expect(first).toMatchObject({ total: 500, isAtLeast: true, stoppedAt: undefined })
  expect(index.list({ limit: 10, quietMs: QUIET_MS, q: 'crane' })).toMatchObject({
    sessions: [{ id: `s${MANY - 1}` }],
    total: 1,
    isAtLeast: false,
  })
  expect(index.list({ limit: 10, quietMs: QUIET_MS })).toMatchObject({ total: MANY })
  expect(index.list({ limit: 10, quietMs: QUIET_MS, project: '/odd' })).toMatchObject({
    sessions: { 0: { id: 's1' }, length: 10 },
    total: 500,
    isAtLeast: true,
  })
  expect(index.list({ limit: 10, quietMs: QUIET_MS, project: '/od' }).sessions).toEqual([])
  expect(index.facets()).toEqual({ hosts: ['claude'], projects: ['/even', '/odd/part'] })
  void index.close()
})

it('tells where a comparison stopped, and continues there', () => {
  const index = indexOf(
    Array.from({ length: MANY }, (_, number) => ({
      prompt: number < 2100 ? `Paint part ${number}` : `Build wall ${number}`,
      message: 'done',
      project: '/p',
    })),
  )
  const wanted = { limit: 10, quietMs: QUIET_MS, q: 'wall' }
  const first = index.list(wanted)
  expect(first).toMatchObject({ sessions: [], stoppedAt: { id: 's1999' } })
  const second = index.list({ ...wanted, before: first.stoppedAt })
  expect(second).toMatchObject({ sessions: { 0: { id: 's2100' }, length: 10 } })
  void index.close()
})
