import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { API, LIMITS } from '@steward/contract'
import { holdLock } from '@steward/platform'
import { describe, expect, test } from 'vitest'
import {
  HELD_BACK_TEXTS,
  missedRates,
} from '../../../../platform/src/redaction/testing/held-back-rates.ts'
import { findLeaks, SINK_CASES } from '../../../../platform/src/redaction/testing/secret-forms.ts'
import { openSpeechStore } from './queue/speech-store.ts'
import { NOW, openVoice } from './testing/open-voice.ts'
import { until } from './testing/until.ts'

const MINUTE_MS = 60_000

describe('the queue', () => {
  test('an announcement is answered immediately, spoken, and recorded', async () => {
    const voice = await openVoice()
    const answer = await voice.offer({ message: '**Build** finished', session_id: 's1' })
    expect(answer).toEqual({ queued: true, id: answer.id, queue_depth: 1 })
    const program = await voice.nextProgram()
    expect(program).toMatchObject({
      name: 'say',
      run: { stdin: 'Build finished', args: ['-r', '175', '-f', '-'] },
    })
    program.end()
    await until(() => voice.ended.length === 1)
    expect(voice.ended).toEqual([{ outcome: 'spoken', detail: 'system' }])
    const common = {
      session_id: 's1',
      source: 'voice',
      announcement_id: answer.id,
      message: 'Build finished',
      character_count: 14,
      voice_engine: 'system',
    }
    expect(voice.events()).toEqual([
      {
        ...common,
        timestamp: new Date(NOW).toISOString(),
        type: 'voice_start',
        event_type: 'started',
      },
      {
        ...common,
        timestamp: new Date(NOW).toISOString(),
        type: 'voice_complete',
        event_type: 'sent',
      },
    ])
  })

  test('shows announcements on pages, and reports when the module does not run', async () => {
    const voice = await openVoice()
    const topics: string[] = []
    voice.bus.subscribe('live.changed', (changed) => topics.push(...changed.topics))
    await voice.offer({ message: 'x' })
    expect(topics).toEqual(['voice'])
    await voice.hearAll(1)
    await voice.stop()
    expect(await voice.offer({ message: 'x' })).toEqual({
      queued: false,
      id: expect.any(String),
      queue_depth: 0,
      reason: 'no voice module is running',
    })
    expect(topics).toEqual(['voice'])
  })

  test('500 at once: never two voices, security and errors first, in their order', async () => {
    const voice = await openVoice()
    const kinds = [undefined, 'error', 'taskComplete', 'security'] as const
    const given = Array.from({ length: 500 }, (_, index) => {
      const kind = kinds[index % 4]
      return { message: `line ${index}`, ...(kind === undefined ? {} : { kind }) }
    })
    const answers = await Promise.all(given.map(voice.offer))
    expect(answers.every(({ queued }) => queued)).toBe(true)
    const rank = (index: number) => ({ 1: 1, 3: 0 })[index % 4] ?? 2
    const order = given.map((_, index) => index).toSorted((a, b) => rank(a) - rank(b) || a - b)
    const heard: number[] = []
    for (let count = 0; count < 500; count++) {
      const program = await voice.nextProgram()
      expect(voice.started).toEqual([])
      heard.push(Number(program.run.stdin?.slice(5)))
      program.end()
    }
    expect(heard).toEqual(order)
  })

  test('doubles that wait are one', async () => {
    const voice = await openVoice()
    await voice.offer({ message: 'first' })
    const current = await voice.nextProgram()
    const one = await voice.offer({ message: 'same' })
    const two = await voice.offer({ message: 'same' })
    expect(two).toEqual({ queued: true, id: one.id, queue_depth: 1, merged: true })
    current.end()
    expect(await voice.hearAll(1)).toEqual(['same'])
    await until(() => voice.ended.length === 3)
  })

  test('a stale line is not spoken, an error is', async () => {
    const voice = await openVoice()
    await voice.offer({ message: 'now' })
    const current = await voice.nextProgram()
    await voice.offer({ message: 'stale' })
    await voice.offer({ message: 'broken', kind: 'error' })
    voice.clock.advance(LIMITS.speechExpiryMs + 1)
    current.end()
    expect(await voice.hearAll(1)).toEqual(['broken'])
    await until(() => voice.ended.length === 3)
    expect(voice.events()).toContainEqual(
      expect.objectContaining({ type: 'voice_skipped', message: 'stale', reason: 'expired' }),
    )
  })

  test('a line is on disk before it is accepted, and waits for the next start', async () => {
    const before = await openVoice({ installed: [] })
    const other = holdLock(join(before.root, '.local', 'state', 'steward', 'speech.lock'))
    await before.offer({ message: 'waits' })
    await before.stop()
    other?.release()
    const after = await openVoice({ root: before.root })
    expect(await after.hearAll(1)).toEqual(['waits'])
  })

  test('waits while another daemon speaks', async () => {
    const voice = await openVoice()
    const other = holdLock(join(voice.root, '.local', 'state', 'steward', 'speech.lock'))
    expect(other).toBeDefined()
    await voice.offer({ message: 'after you' })
    await until(() => voice.clock.pending() > 0)
    voice.clock.advance(1000)
    await until(() => voice.clock.pending() > 0)
    expect(voice.started).toEqual([])
    other?.release()
    voice.clock.advance(1000)
    expect(await voice.hearAll(1)).toEqual(['after you'])
  })

  test('the current line ends when the daemon stops, and is not repeated', async () => {
    const before = await openVoice()
    await before.offer({ message: 'half' })
    const program = await before.nextProgram()
    await before.offer({ message: 'next' })
    await before.stop()
    expect(program.isOver()).toBe(true)
    const after = await openVoice({ root: before.root })
    expect(await after.hearAll(1)).toEqual(['next'])
    expect(before.events()).toContainEqual(
      expect.objectContaining({ type: 'voice_skipped', message: 'half', reason: 'stopping' }),
    )
  })

  test('after a crash the interrupted line is not repeated, and ended lines are logged', async () => {
    const before = await openVoice()
    await before.stop()
    const store = openSpeechStore(join(before.home.databases, 'speech.sqlite'))
    for (const [index, id] of ['half', 'over', 'next'].entries()) {
      await store.add({ id, text: id, manner: {}, priority: 2, atMs: NOW + index, freshAtMs: NOW })
    }
    await store.begin('half')
    await store.begin('over')
    await store.end(['over'], { outcome: 'spoken', engine: 'system' }, NOW)
    await store.close()
    const left = join(before.home.databases, 'speech', 'playing')
    mkdirSync(left, { recursive: true })
    writeFileSync(join(left, 'left.wav'), 'x')

    const after = await openVoice({ root: before.root })
    expect(await after.hearAll(1)).toEqual(['next'])
    expect(after.events().slice(0, 2)).toMatchObject([
      { type: 'voice_complete', message: 'over' },
      { type: 'voice_skipped', message: 'half', reason: 'interrupted_by_restart' },
    ])
    expect(existsSync(left)).toBe(false)
  })

  test('interrupt stops the current line; with all also the waiting ones', async () => {
    const voice = await openVoice()
    for (const message of ['a', 'b', 'c']) await voice.offer({ message })
    const first = await voice.nextProgram()
    expect(await voice.call(API.interruptVoice, { all: false })).toEqual({ interrupted: 1 })
    expect(first.isOver()).toBe(true)
    const second = await voice.nextProgram()
    expect(second.run.stdin).toBe('b')
    expect(await voice.call(API.interruptVoice, { all: true })).toEqual({ interrupted: 2 })
    await until(() => voice.ended.length === 3)
    expect(await voice.call(API.interruptVoice, { all: true })).toEqual({ interrupted: 0 })
    expect(voice.ended).toEqual(Array(3).fill({ outcome: 'skipped', detail: 'interrupted' }))
    expect(await voice.call(API.getVoice)).toMatchObject({ queue_depth: 0, speaking: false })
  })
})

describe('silence', () => {
  test('a mute outlives the daemon; errors wait for its end', async () => {
    const before = await openVoice()
    expect(await before.call(API.muteVoice, { minutes: 30 })).toEqual({
      muted_until: new Date(NOW + 30 * MINUTE_MS).toISOString(),
    })
    await before.stop()
    const voice = await openVoice({ root: before.root, nowMs: NOW + MINUTE_MS })
    expect(await voice.call(API.getVoice)).toMatchObject({
      muted_until: new Date(NOW + 30 * MINUTE_MS).toISOString(),
    })
    expect(await voice.offer({ message: 'chatter' })).toMatchObject({
      queued: false,
      reason: 'muted',
    })
    expect(await voice.offer({ message: 'broken', kind: 'error' })).toMatchObject({ queued: true })
    await until(() => voice.clock.pending() > 0)
    voice.clock.advance(29 * MINUTE_MS - 1)
    expect(voice.started).toEqual([])
    voice.clock.advance(1)
    expect(await voice.hearAll(1)).toEqual(['broken'])
    expect(await voice.call(API.getVoice)).toMatchObject({ muted_until: null })
  })

  test('a mute stops the current and waiting lines; it can be ended early', async () => {
    const voice = await openVoice()
    await voice.offer({ message: 'a' })
    await voice.nextProgram()
    await voice.offer({ message: 'b' })
    await voice.call(API.muteVoice, { minutes: 5 })
    await until(() => voice.ended.length === 2)
    expect(voice.ended.map(({ detail }) => detail)).toEqual(['interrupted', 'muted'])
    expect(await voice.call(API.muteVoice, { minutes: 0 })).toEqual({ muted_until: null })
    await voice.offer({ message: 'c' })
    expect(await voice.hearAll(1)).toEqual(['c'])
  })

  test('in quiet hours only security speaks', async () => {
    const quietHours = { from: '11:00', to: '13:00', timezone: 'UTC' }
    const voice = await openVoice({ settings: { notifications: { quietHours } } })
    expect(await voice.offer({ message: 'x', kind: 'error' })).toMatchObject({
      queued: false,
      reason: 'quiet_hours',
    })
    expect(await voice.offer({ message: 'alarm', kind: 'security' })).toMatchObject({
      queued: true,
    })
    expect(await voice.hearAll(1)).toEqual(['alarm'])
    expect(await voice.call(API.getVoice)).toMatchObject({ quiet: true })
    voice.clock.advance(61 * MINUTE_MS)
    expect(await voice.offer({ message: 'later' })).toMatchObject({ queued: true })
  })

  test('disabled voice is reported in the answer and in the log', async () => {
    const voice = await openVoice({ settings: { voice: { enabled: false } } })
    expect(await voice.offer({ message: 'x' })).toMatchObject({
      queued: false,
      reason: 'voice_off',
    })
    expect(await voice.call(API.getVoice)).toMatchObject({ status: 'off', enabled: false })
    voice.setSettings({})
    const unwanted = await voice.offer({ message: 'x', voice_enabled: false })
    expect(unwanted).toMatchObject({ queued: false, reason: 'voice_not_wanted' })
    expect(await voice.offer({ message: '```\ncode\n```' })).toMatchObject({
      queued: false,
      reason: 'nothing_to_say',
    })
    expect(voice.events().map(({ type, reason }) => [type, reason])).toEqual([
      ['voice_skipped', 'voice_off'],
      ['voice_skipped', 'voice_not_wanted'],
      ['voice_skipped', 'nothing_to_say'],
    ])
  })
})

describe('spoken text', () => {
  test.each([
    ['quotes', `"double" 'single' \`back\``, `"double" 'single' back`],
    ['a shell', '$(rm -rf /) ; $HOME | cat && echo', '$(rm -rf /) ; $HOME | cat && echo'],
    ['line breaks', 'one\ntwo\r\n\r\nthree', 'one two. three'],
    ['emoji', 'done 🎉👩‍💻', 'done 🎉👩‍💻'],
    ['right to left', 'مرحبا بالعالم', 'مرحبا بالعالم'],
    ['an option', '-v Fred', '-v Fred'],
  ])('%s reach the engine as text', async (_, message, said) => {
    const voice = await openVoice()
    await voice.offer({ message })
    expect(await voice.hearAll(1)).toEqual([said])
  })

  test('100 KB are cut, a secret is not spoken', async () => {
    const voice = await openVoice({ variables: { SOME_TOKEN: 'hunter2hunter2' } })
    const long = await voice.offer({ message: 'word '.repeat(20_480) })
    expect(long).toMatchObject({ queued: true, truncated: true })
    await voice.offer({ message: 'the key is hunter2hunter2' })
    const [first, second] = await voice.hearAll(2)
    expect(first?.length).toBeLessThanOrEqual(LIMITS.speechChars)
    expect(second).toBe('the key is [redacted:SOME_TOKEN]')
    expect(JSON.stringify(voice.events())).not.toContain('hunter2')
  })
})

test('no form of a secret is spoken or written down', async () => {
  const voice = await openVoice({ settings: { voice: { enabled: false } } })
  for (const { text } of SINK_CASES) {
    await voice.offer({ message: `Done: ${text}`, title: text })
  }
  expect(voice.events()).toHaveLength(SINK_CASES.length)
  expect(findLeaks(JSON.stringify(voice.events()))).toEqual([])
})

test('events show the held-back texts with the required rates', async () => {
  const voice = await openVoice({ settings: { voice: { enabled: false } } })
  for (const text of HELD_BACK_TEXTS) await voice.offer({ message: `Done: ${text}`, title: text })
  expect(missedRates(voice.events().map((row) => JSON.stringify(row)))).toEqual([])
})
