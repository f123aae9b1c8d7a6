import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { API, type Route, settingsView } from '@steward/contract'
import { resolveHome } from '@steward/platform'
import { createTemporaryHome, type TemporaryHome } from '@steward/platform/testing'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createBus } from '../../bus/bus.ts'
import { createSetupModule } from './setup-module.ts'

let home: TemporaryHome
let topics: string[]

beforeEach(() => {
  home = createTemporaryHome()
  topics = []
  home.write('settings.json', '{\n  "theirs": { "kept": 1 },\n  "voice": { "volume": 0.5 }\n}\n')
})
afterEach(() => home.remove())

const call = async (route: Route, input: { params?: unknown; body?: unknown } = {}) => {
  const silent = { info: () => undefined, warn: () => undefined, error: () => undefined }
  const bus = createBus(silent)
  bus.subscribe('live.changed', (change) => topics.push(...change.topics))
  const env = { STEWARD_HOME: home.path, HOME: home.path }
  const { handlers } = createSetupModule({
    home: resolveHome(env, home.path),
    bus,
    place: { env, homedir: home.path },
    installation: join(import.meta.dirname, '../../../../..'),
  })
  const found = handlers.find((handler) => handler.route === route)
  const { signal } = new AbortController()
  const given = { params: input.params ?? {}, query: {}, body: input.body }
  return found?.answer(given, { signal, header: () => undefined })
}
const change = async (path: string[], value?: unknown) =>
  settingsView.parse(await call(API.changeSetting, { body: { path, value } }))
const file = () => readFileSync(join(home.path, 'settings.json'), 'utf8')

it('lists settings with defaults, but nothing of other tools', async () => {
  const view = settingsView.parse(await call(API.getSettings))
  expect(view.set).toEqual({ voice: { volume: 0.5 } })
  expect(view.inForce).toMatchObject({ voice: { volume: 0.5, enabled: true } })
  expect(view.schema.properties).toHaveProperty('voice')
})

it('changes and resets one setting, and keeps the rest of the file', async () => {
  const view = await change(['voice', 'enabled'], false)
  expect(view.inForce).toMatchObject({ voice: { enabled: false, volume: 0.5 } })
  expect(file()).toContain('"theirs": { "kept": 1 }')
  expect(topics).toContain('settings')
  expect((await change(['voice', 'volume'])).set).toEqual({ voice: { enabled: false } })
})

it('refuses what the schema refuses, and writes nothing', async () => {
  const before = file()
  await expect(change(['voice', 'volume'], 7)).rejects.toThrow('voice.volume')
  await expect(change(['voice', 'loudness'], 1)).rejects.toMatchObject({ code: 'invalid_input' })
  await expect(change(['theirs', 'kept'], 2)).rejects.toThrow('is not a setting')
  expect(file()).toBe(before)
})

it('lists every mistake with its path', async () => {
  const targets = [{ name: '', type: 'http' }]
  await expect(change(['observability', 'targets'], targets)).rejects.toMatchObject({
    message:
      'observability.targets: observability.targets[0].name: must not be empty; observability.targets[0].url: an http target needs a url',
    details: {
      issues: [
        { path: 'observability.targets[0].name', message: 'must not be empty' },
        { path: 'observability.targets[0].url', message: 'an http target needs a url' },
      ],
    },
  })
})

it('connects an assistant and disconnects it without a trace', async () => {
  const path = join(home.path, '.claude/settings.json')
  const params = { host: 'claude' }
  await call(API.connectAssistant, { params, body: {} })
  expect(readFileSync(path, 'utf8')).toContain('PreToolUse')
  await call(API.disconnectAssistant, { params, body: {} })
  expect(existsSync(path)).toBe(false)
  expect(await call(API.disconnectAssistant, { params, body: {} })).toMatchObject({
    done: expect.stringContaining('no hooks'),
  })
})
