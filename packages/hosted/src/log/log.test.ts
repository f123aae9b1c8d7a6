import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  HELD_BACK_TEXTS,
  missedRates,
} from '../../../platform/src/redaction/testing/held-back-rates.ts'
import type { HostedDatabase } from '../database/hosted-database.ts'
import { describeEngines } from '../database/testing/engines.ts'
import { type Announcement, announce, execute, one, query } from '../database/tx.ts'
import { appendEvents, markProcessed } from './append-events.ts'
import { claimLease, findDueSessions, type Lease, releaseLease, renewLease } from './lease.ts'
import { readEvents } from './read-events.ts'
import { EMPTY_SUMMARY, foldEvent, sessionSummary } from './summary.ts'

const addSession = (database: HostedDatabase, id: string): Promise<unknown> =>
  database.write(() =>
    query(
      `INSERT INTO sessions (id, agent_id, agent_version, environment_id, body, summary, status, created_ms, updated_ms)
       VALUES ($1, 'agent_1', 1, 'env_1', '{}', $2, 'idle', $3, $3)`,
      id,
      JSON.stringify(EMPTY_SUMMARY),
      0,
    ),
  )

const seqsOf = (events: readonly { seq: number }[]): number[] => events.map(({ seq }) => seq)

const claim = async (database: HostedDatabase, nowMs: number): Promise<Lease> => {
  const lease = await database.write(() =>
    claimLease('sesn_1', { owner: 'brain', nowMs, ttlMs: 100 }),
  )
  if (lease === undefined) throw new Error('the lease was not free')
  return lease
}

describeEngines('the log', (engine) => {
  it('numbers events without gaps under concurrent writes', async () => {
    const database = await engine.create()
    const other = await engine.share()
    await addSession(database, 'sesn_1')
    await Promise.all(
      Array.from({ length: 40 }, (_, count) =>
        (count % 2 === 0 ? database : other).write(() =>
          appendEvents('sesn_1', [{ type: 'a' }, { type: 'b' }], { nowMs: count }),
        ),
      ),
    )
    const events = await other.read(() => readEvents('sesn_1'))
    expect(seqsOf(events)).toEqual(Array.from({ length: 80 }, (_, count) => count + 1))
    // Two events of one append stay adjacent.
    expect(events.map(({ type }) => type).join('')).toBe('ab'.repeat(40))
  })

  it('stores errors with the held-back texts at the required rates', async () => {
    const database = await engine.create()
    await addSession(database, 'sesn_1')
    const errors = HELD_BACK_TEXTS.map((message) => ({
      type: 'session.error',
      body: { error: { type: 'unknown_error', message, retry_status: { type: 'exhausted' } } },
    }))
    await database.write(() => appendEvents('sesn_1', errors, { nowMs: 1 }))
    const events = await database.read(() => readEvents('sesn_1'))
    expect(missedRates(events.map(({ body }) => JSON.stringify(body)))).toEqual([])
  })

  it('stores what people and models wrote as it is', async () => {
    const database = await engine.create()
    await addSession(database, 'sesn_1')
    const body = { content: [{ type: 'text', text: 'password=hunter2!' }] }
    await database.write(() =>
      appendEvents('sesn_1', [{ type: 'user.message', body }], { nowMs: 1 }),
    )
    expect(await database.read(() => readEvents('sesn_1'))).toMatchObject([{ body }])
  })

  it('appends all or nothing', async () => {
    const database = await engine.create()
    await addSession(database, 'sesn_1')
    const broken = database.write(function* () {
      yield* appendEvents('sesn_1', [{ type: 'a' }], { nowMs: 1 })
      throw new Error('the process stumbled')
    })
    await expect(broken).rejects.toThrow('stumbled')
    expect(await database.read(() => readEvents('sesn_1'))).toEqual([])
  })

  it('returns the first event when the same one is sent again', async () => {
    const database = await engine.create()
    await addSession(database, 'sesn_1')
    const result = { type: 'user.tool_result', dedup: 'result:sevt_9', body: { text: 'done' } }
    const [first, again] = await Promise.all(
      [1, 2].map((nowMs) => database.write(() => appendEvents('sesn_1', [result], { nowMs }))),
    )
    expect(again?.[0]?.id).toBe(first?.[0]?.id)
    expect(await database.read(() => readEvents('sesn_1'))).toHaveLength(1)
  })

  it('refuses a missing session by its name', async () => {
    const database = await engine.create()
    await expect(
      database.write(() => appendEvents('sesn_0', [{ type: 'a' }], { nowMs: 1 })),
    ).rejects.toThrow('there is no session sesn_0')
  })

  it('is free again when the clock was set back by far', async () => {
    const database = await engine.create()
    await addSession(database, 'sesn_1')
    const DAY_MS = 86_400_000
    await claim(database, 2 * DAY_MS)
    const take = (nowMs: number) =>
      database.write(() => claimLease('sesn_1', { owner: 'other', nowMs, ttlMs: 100 }))
    // The clocks of two machines are never quite the same.
    expect(await take(2 * DAY_MS - 1000)).toBeUndefined()
    expect(await database.read(() => findDueSessions(2 * DAY_MS - 1000, 10))).toEqual([])
    expect(await take(DAY_MS)).toMatchObject({ owner: 'other' })
  })

  it('lets only the current holder of the lease act', async () => {
    const database = await engine.create()
    await addSession(database, 'sesn_1')
    const claims = await Promise.all(
      Array.from({ length: 8 }, (_, count) =>
        database.write(() =>
          claimLease('sesn_1', { owner: `brain-${count}`, nowMs: 0, ttlMs: 100 }),
        ),
      ),
    )
    const [lost, ...more] = claims.filter((lease) => lease !== undefined)
    expect(more).toEqual([])
    if (lost === undefined) throw new Error('the lease was not granted')

    const current = await claim(database, 100)
    expect(await database.write(() => renewLease(lost, { owner: 'x', nowMs: 101, ttlMs: 9 }))).toBe(
      undefined,
    )
    await expect(
      database.write(() => appendEvents('sesn_1', [{ type: 'a' }], { nowMs: 101, lease: lost })),
    ).rejects.toThrow('another process has taken over session sesn_1')
    await database.write(() =>
      appendEvents('sesn_1', [{ type: 'b' }], { nowMs: 101, lease: current }),
    )
    expect(await database.read(() => readEvents('sesn_1'))).toMatchObject([{ type: 'b' }])
  })

  it('keeps a session awake for events that arrive while its brain goes to sleep', async () => {
    const database = await engine.create()
    await addSession(database, 'sesn_1')
    const say = (nowMs: number): Promise<unknown> =>
      database.write(() =>
        appendEvents('sesn_1', [{ type: 'user.message', queued: true }], { nowMs, wakes: true }),
      )
    const due = (nowMs: number): Promise<readonly string[]> =>
      database.read(() => findDueSessions(nowMs, 10))

    await say(1)
    expect(await due(1)).toEqual(['sesn_1'])
    const lease = await claim(database, 1)
    expect(await due(50)).toEqual([])
    expect(await due(101)).toEqual(['sesn_1'])
    await say(60)
    await database.write(() => releaseLease(lease, { type: 'sleep', seenSeq: 1 }))
    expect(await due(60)).toEqual(['sesn_1'])

    const next = await claim(database, 60)
    await database.write(() => releaseLease(next, { type: 'again', atMs: 500 }))
    expect(await due(499)).toEqual([])
    expect(await due(500)).toEqual(['sesn_1'])

    const last = await claim(database, 500)
    await database.write(() => releaseLease(last, { type: 'sleep', seenSeq: 2 }))
    expect(await due(9999)).toEqual([])
  })

  it('marks an event as processed once', async () => {
    const database = await engine.create()
    await addSession(database, 'sesn_1')
    const [event] = await database.write(() =>
      appendEvents('sesn_1', [{ type: 'user.message', queued: true }], { nowMs: 1 }),
    )
    expect(event?.processedMs).toBeNull()
    const lease = await claim(database, 2)
    for (const nowMs of [3, 4])
      await database.write(() => markProcessed(lease, [event?.id ?? ''], nowMs))
    expect(await database.read(() => readEvents('sesn_1'))).toMatchObject([{ processedMs: 3 }])
  })

  it('announces appended and archived sessions to every process, and previews of any size in order', async () => {
    const database = await engine.create()
    const other = await engine.share()
    await addSession(database, 'sesn_1')
    const heard: Announcement[] = []
    other.hear((announcement) => heard.push(announcement))
    await database.write(() => appendEvents('sesn_1', [{ type: 'a' }], { nowMs: 1 }))
    engine.look()
    await expect
      .poll(() => heard)
      .toContainEqual({ sessionId: 'sesn_1', news: { type: 'appended', seq: 1 } })
    await database.write(function* () {
      yield* execute("UPDATE sessions SET archived_ms = 2 WHERE id = 'sesn_1'")
      yield* announce({ sessionId: 'sesn_1', news: { type: 'archived' } })
    })
    engine.look()
    await expect
      .poll(() => heard)
      .toContainEqual({ sessionId: 'sesn_1', news: { type: 'archived' } })
    if (database.engine === 'sqlite') return
    heard.length = 0
    const frames = ['same', 'same', 'é'.repeat(20_000), 'last']
    for (const frame of frames)
      database.tell({ sessionId: 'sesn_1', news: { type: 'preview', frame } })
    await expect
      .poll(() => heard.map(({ news }) => (news.type === 'preview' ? news.frame : '')))
      .toEqual(frames)
  })

  it('sees webhooks that another process has just added or removed', async () => {
    const database = await engine.create()
    const other = await engine.share()
    await addSession(database, 'sesn_1')
    const idle = { type: 'session.status_idle', body: { stop_reason: { type: 'end_turn' } } }
    const told = async () => {
      await database.write(() => appendEvents('sesn_1', [idle], { nowMs: 1 }))
      const rows = await database.read(() => query('SELECT event_type FROM webhook_deliveries'))
      return rows.map(({ event_type }) => event_type)
    }
    expect(await told()).toEqual([])
    await other.write(() =>
      execute(
        `INSERT INTO webhook_endpoints VALUES ('whep_1', 'https://example.com', '', '', $1, 'enabled', '', 0, 0)`,
        '["session.status_idled"]',
      ),
    )
    expect(await told()).toEqual(['session.status_idled'])
    await other.write(() => execute("UPDATE webhook_endpoints SET state = 'disabled'"))
    expect(await told()).toEqual(['session.status_idled'])
  })

  it('keeps the summary consistent with its events', async () => {
    const database = await engine.create()
    const bill = {
      inputTokens: 3,
      outputTokens: 2,
      cacheReadTokens: 1,
      cacheWrite5mTokens: 0,
      cacheWrite1hTokens: 0,
      nanoDollars: 7,
    }
    const kinds = [
      { type: 'session.status_running' },
      { type: 'session.status_idle', body: { stop_reason: { type: 'end_turn' } } },
      { type: 'session.status_rescheduled' },
      { type: 'span.model_request_end', hidden: { bill } },
      { type: 'span.model_request_end', hidden: { bill: { ...bill, nanoDollars: null } } },
      { type: 'agent.tool_result', hidden: { tool: 'web_search' } },
      { type: 'agent.message' },
    ]
    let made = 0
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...kinds), { maxLength: 12 }), async (events) => {
        const id = `sesn_${++made}`
        await addSession(database, id)
        for (const [place, event] of events.entries())
          await database.write(() => appendEvents(id, [event], { nowMs: place * 10 }))
        const row = await database.read(() => one('SELECT summary FROM sessions WHERE id = $1', id))
        const stored = sessionSummary.parse(JSON.parse(String(row?.summary)))
        const log = await database.read(() => readEvents(id))
        expect(stored).toEqual(log.reduce(foldEvent, EMPTY_SUMMARY))
        const running = log.filter((_, place) => log[place]?.type === 'session.status_running')
        expect(stored.activeMs + (stored.runningSinceMs === null ? 0 : 1) > 0).toBe(
          running.length > 0,
        )
      }),
      { numRuns: 20 },
    )
  })
})
