import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { API, voiceStatus } from '@steward/contract'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readStreamBlocks } from '../../../testing/read-stream-blocks.ts'
import { openVoice } from '../testing/open-voice.ts'
import { until } from '../testing/until.ts'
import { pronunciationsPath } from '../text/pronunciations-file.ts'

type Voice = Awaited<ReturnType<typeof openVoice>>

const openPage = async (voice: Voice, speak: 'true' | 'false') => {
  const leaving = new AbortController()
  onTestFinished(() => leaving.abort())
  const response = await voice.call(API.streamVoice, undefined, {}, leaving.signal, { speak })
  if (!(response instanceof Response) || response.body === null) throw new Error('no stream')
  const seen: { event: string; data: Record<string, unknown> }[] = []
  const { body } = response
  const reading = (async () => {
    for await (const block of readStreamBlocks(body)) {
      const [, event, data] = /^event: (.*)\ndata: (.*)$/.exec(block) ?? []
      if (event !== undefined && data !== undefined) seen.push({ event, data: JSON.parse(data) })
    }
  })()
  const find = (wanted: string) => seen.filter(({ event }) => event === wanted).map((e) => e.data)
  const next = async (wanted: string) => {
    await until(() => find(wanted).length > 0, wanted)
    const [data = {}] = find(wanted)
    return data
  }
  await next('ready')
  return {
    find,
    next,
    leave: async () => {
      leaving.abort()
      await reading
    },
  }
}
const openBrowserVoice = () => openVoice({ platform: 'linux', installed: [] })

describe('a page that speaks', () => {
  test('gets the caption, is asked to speak, and its report ends the line', async () => {
    const voice = await openBrowserVoice()
    const page = await openPage(voice, 'true')
    const other = await openPage(voice, 'false')
    const { id } = await voice.offer({ message: 'Hello **you**', title: 'T', agent: 'A' })
    expect(await page.next('caption')).toEqual({
      id,
      text: 'Hello you',
      title: 'T',
      agent: 'A',
      kind: null,
      spoken: true,
    })
    expect(await page.next('speak')).toEqual({
      id,
      text: 'Hello you',
      volume: 1,
      rate: 1,
      voice: null,
    })
    expect(await voice.call(API.reportUtterance, { outcome: 'spoken' }, { id })).toEqual({
      ok: true,
    })
    expect(await other.next('ended')).toEqual({ id, outcome: 'spoken', detail: 'browser' })
    expect(other.find('caption')).toHaveLength(1)
    expect(other.find('speak')).toEqual([])
    await expect(
      voice.call(API.reportUtterance, { outcome: 'spoken' }, { id }),
    ).rejects.toMatchObject({
      code: 'not_found',
    })
  })

  test('is the provider that voice.provider "browser" names; the system speaks until a page is open, and GET /voice shows it', async () => {
    const voice = await openVoice({
      settings: { voice: { provider: 'browser' } },
      variables: { ELEVENLABS_API_KEY: 'key-0123456789' },
    })
    const status = async () => voiceStatus.parse(await voice.call(API.getVoice))
    const before = await status()
    expect(before.voice_system).toBe('system')
    expect(before.explanation).toMatch(
      /^voice\.provider is "browser": system speaks, because .*; before it browser: no speaking page is open/,
    )
    await voice.offer({ message: 'one' })
    ;(await voice.nextProgram()).end()
    await until(() => voice.ended.length === 1)
    const page = await openPage(voice, 'true')
    expect(await status()).toMatchObject({
      voice_system: 'browser',
      explanation: 'voice.provider is "browser": browser speaks, because a speaking page is open',
    })
    const { id } = await voice.offer({ message: 'two' })
    expect(await page.next('speak')).toMatchObject({ id, text: 'two' })
    await voice.call(API.reportUtterance, { outcome: 'spoken' }, { id })
    await until(() => voice.ended.length === 2)
    expect(voice.ended.map(({ detail }) => detail)).toEqual(['system', 'browser'])
    expect(voice.started).toEqual([])
  })

  test('that fails, falls silent or is closed has not spoken', async () => {
    const voice = await openBrowserVoice()
    const page = await openPage(voice, 'true')
    const { id } = await voice.offer({ message: 'one' })
    await page.next('speak')
    await voice.call(API.reportUtterance, { outcome: 'failed', reason: 'not-allowed' }, { id })
    await until(() => voice.ended.length === 1)
    await voice.offer({ message: 'two' })
    await until(() => page.find('speak').length === 2)
    voice.clock.advance(60_000)
    await until(() => voice.ended.length === 2)
    expect(page.find('cancel')).toHaveLength(1)
    await voice.offer({ message: 'three' })
    await until(() => page.find('speak').length === 3)
    await page.leave()
    await until(() => voice.ended.length === 3)
    expect(voice.ended.map(({ detail }) => detail)).toEqual([
      'the page could not speak: not-allowed',
      'the page did not report within 10450 ms',
      'the speaking page was closed',
    ])
  })

  test('is notified when it is interrupted', async () => {
    const voice = await openBrowserVoice()
    const page = await openPage(voice, 'true')
    const { id } = await voice.offer({ message: 'long story' })
    await page.next('speak')
    await voice.call(API.interruptVoice, { all: false })
    expect(await page.next('cancel')).toEqual({ id })
    await until(() => voice.ended.length === 1)
  })
})

test('muted announcements are shown as captions', async () => {
  const voice = await openVoice()
  const page = await openPage(voice, 'false')
  await voice.call(API.muteVoice, { minutes: 5 })
  await voice.offer({ message: 'psst' })
  expect(await page.next('caption')).toMatchObject({ text: 'psst', spoken: false })
})

test('pronunciations reach the voice, not the caption', async () => {
  const voice = await openBrowserVoice()
  const path = pronunciationsPath(voice.home)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, '{"nginx": "engine x"}')
  const page = await openPage(voice, 'true')
  await voice.offer({ message: 'nginx is up' })
  expect(await page.next('caption')).toMatchObject({ text: 'nginx is up' })
  expect(await page.next('speak')).toMatchObject({ text: 'engine x is up' })
  expect(await voice.call(API.getVoice)).toMatchObject({ pronunciation_rules: 1 })
  writeFileSync(path, '{"nginx": 5}')
  await voice.call(API.interruptVoice, { all: true })
  await voice.offer({ message: 'nginx is down' })
  await until(() => page.find('speak').length === 2)
  expect(page.find('speak')[1]).toMatchObject({ text: 'nginx is down' })
  expect(voice.module.health()).toMatchObject({
    status: 'degraded',
    reasons: [expect.stringContaining('nginx')],
  })
})
