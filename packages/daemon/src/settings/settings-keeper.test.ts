import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Settings } from '@steward/contract'
import { ensureHome, type Home, resolveHome } from '@steward/platform'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createBus } from '../bus/bus.ts'
import { createSettingsKeeper, readCurrentSettings } from './settings-keeper.ts'

let home: Home
beforeEach(async () => {
  const root = mkdtempSync(join(tmpdir(), 'keeper-'))
  home = resolveHome({ STEWARD_HOME: root })
  await ensureHome(home)
})
afterEach(() => rmSync(home.root, { recursive: true }))

const open = async (explainPending: (settings: Settings) => string[] = () => []) => {
  const lines: string[] = []
  const say = (message: string) => void lines.push(message)
  const log = { info: say, warn: say, error: say }
  const bus = createBus(log)
  const changes: Settings[] = []
  bus.subscribe('settings.changed', ({ settings }) => void changes.push(settings))
  const timers = new Map<number, () => void>()
  let touch: (() => void) | undefined
  const environment = { FROM_PROCESS: 'process' }
  const keeper = createSettingsKeeper(await readCurrentSettings(home, environment), {
    home,
    processEnvironment: environment,
    bus,
    log,
    setTimer: (delayMs, action) => {
      timers.set(delayMs, action)
      return () => void timers.delete(delayMs)
    },
    watchFolder: (_, onChange) => {
      touch = onChange
      return () => {
        touch = undefined
      }
    },
    explainPending,
  })
  await keeper.module.start?.()
  return {
    keeper,
    lines,
    changes,
    timers,
    touch: () => touch?.(),
    health: () => keeper.module.health(),
  }
}

const writeSettings = (value: unknown) => writeFileSync(home.settings, JSON.stringify(value))

test('a change is in force and announced, once', async () => {
  const { keeper, changes } = await open()
  writeSettings({ auth: { mode: 'strict' } })
  await keeper.reload()
  await keeper.reload()
  expect(keeper.current().settings.auth.mode).toBe('strict')
  expect(changes).toHaveLength(1)
})

test('a touched file with the same content changes nothing', async () => {
  writeSettings({ auth: { mode: 'strict' } })
  const { keeper, changes } = await open()
  writeFileSync(home.settings, JSON.stringify({ auth: { mode: 'strict' } }, null, 2))
  await keeper.reload()
  expect(changes).toEqual([])
})

test('a broken file keeps the last valid settings and is reported with line and key', async () => {
  writeSettings({ watchdog: { silenceSeconds: 7 } })
  const { keeper, changes, health, lines } = await open()
  writeFileSync(home.settings, '{\n  "watchdog": {\n    "silenceSeconds": "long"\n  }\n}')
  await keeper.reload()
  expect(keeper.current().settings.watchdog.silenceSeconds).toBe(7)
  expect(changes).toEqual([])
  expect(health()).toMatchObject({ status: 'degraded' })
  expect(health().reasons?.join()).toContain('line 3: watchdog.silenceSeconds')
  expect(lines.join()).toContain('line 3: watchdog.silenceSeconds')
})

test('a mended file makes it whole again', async () => {
  const { keeper, health } = await open()
  writeFileSync(home.settings, '{')
  await keeper.reload()
  expect(health().status).toBe('degraded')
  writeSettings({})
  await keeper.reload()
  expect(health()).toEqual({ status: 'ok' })
})

test('a mistake is reported once, not at every check', async () => {
  const { keeper, lines } = await open()
  writeFileSync(home.settings, '{')
  await keeper.reload()
  writeFileSync(home.envFile, 'A=1')
  await keeper.reload()
  expect(lines.filter((line) => line.includes('is not valid JSON'))).toHaveLength(1)
})

test('.env is taken up too, the process wins over it, and its secrets are known', async () => {
  const { keeper, changes } = await open()
  writeFileSync(home.envFile, 'API_KEY=sesame-open-now\nFROM_PROCESS=file')
  await keeper.reload()
  const { environment, redactor } = keeper.current()
  expect(environment).toMatchObject({ API_KEY: 'sesame-open-now', FROM_PROCESS: 'process' })
  expect(redactor.redactText('x sesame-open-now').value).toBe('x [redacted:API_KEY]')
  expect(changes).toHaveLength(1)
})

test('the token is a secret as well', async () => {
  const { keeper } = await open()
  writeFileSync(home.token, 'f'.repeat(64))
  await keeper.reload()
  expect(keeper.current().redactor.redactText('f'.repeat(64)).value).toBe('[redacted:token]')
})

test('it looks when the folder changes, after a moment, and anyway every second', async () => {
  const { timers, touch, keeper } = await open()
  expect([...timers.keys()]).toEqual([1000])
  writeSettings({ auth: { mode: 'strict' } })
  touch()
  expect([...timers.keys()]).toContain(50)
  timers.get(50)?.()
  await expect.poll(() => keeper.current().settings.auth.mode).toBe('strict')
  writeSettings({ auth: { mode: 'default' } })
  timers.get(1000)?.()
  await expect.poll(() => keeper.current().settings.auth.mode).toBe('default')
})

test('reports what needs a restart', async () => {
  const { keeper, health } = await open(({ observability }) =>
    observability.server.port === 1234 ? ['port 1234 needs a restart'] : [],
  )
  writeSettings({ observability: { server: { port: 1234 } } })
  await keeper.reload()
  expect(health()).toEqual({ status: 'degraded', reasons: ['port 1234 needs a restart'] })
})

test('stopping ends every timer and watch', async () => {
  const { keeper, timers, touch } = await open()
  await keeper.module.stop?.()
  touch()
  expect([...timers.keys()]).toEqual([])
})

test('a start with a broken file fails with line and key', async () => {
  writeFileSync(home.settings, '{\n  "auth": { "mod": "strict" }\n}')
  await expect(readCurrentSettings(home, {})).rejects.toThrow('line 2: auth.mod: unknown key')
  writeSettings({})
  writeFileSync(home.envFile, 'no equals sign')
  await expect(readCurrentSettings(home, {})).rejects.toThrow('line 1')
})
