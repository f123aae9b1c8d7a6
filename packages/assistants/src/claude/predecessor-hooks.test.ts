import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { AskedHost } from '../report/host-report.ts'
import { checkPredecessor } from './predecessor-hooks.ts'

let root: string
let file: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'steward-double-'))
  file = join(root, 'settings.json')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const host = (state: AskedHost['state']): AskedHost => ({
  host: 'claude',
  found: true,
  command: null,
  file,
  state,
  hooks: [],
  foreign: 0,
  addedMs: null,
  errors: [],
  pluginFired: null,
  version: null,
  untrusted: null,
  plugins: [],
})
const command = (name: string) => ({ type: 'command', command: `$HOME/.claude/hooks/${name}` })
const SETTINGS = {
  model: 'opus',
  hooks: {
    PostToolUse: [
      { hooks: [command('ToolActivityTracker.hook.ts')] },
      { matcher: 'Write', hooks: [command('TelosSummarySync.hook.ts')] },
      { hooks: [command('steward-hook.mjs')] },
    ],
    Stop: [{ hooks: [command('VoiceCompletion.hook.ts'), command('DocIntegrity.hook.ts')] }],
  },
}

it('names recorders of LifeOS beside our hooks, and removes only those, with a copy', async () => {
  const text = JSON.stringify(SETTINGS)
  writeFileSync(file, text)
  const [finding, ...more] = checkPredecessor(host('installed'))
  expect(more).toEqual([])
  expect(finding).toMatchObject({ status: 'warn', asksFirst: true })
  expect(finding?.message).toContain('ToolActivityTracker.hook.ts, VoiceCompletion.hook.ts')
  await finding?.fix?.()
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
    model: 'opus',
    hooks: {
      PostToolUse: [SETTINGS.hooks.PostToolUse[1], SETTINGS.hooks.PostToolUse[2]],
      Stop: [{ hooks: [command('DocIntegrity.hook.ts')] }],
    },
  })
  expect(readFileSync(`${file}.before-steward`, 'utf8')).toBe(text)
  expect(checkPredecessor(host('installed'))).toEqual([])
})

it('says nothing where our hooks are not installed, and about unreadable settings', () => {
  writeFileSync(file, JSON.stringify(SETTINGS))
  expect(checkPredecessor(host('missing'))).toEqual([])
  writeFileSync(file, '{"hooks": [')
  expect(checkPredecessor(host('installed'))).toEqual([])
  rmSync(file)
  expect(checkPredecessor(host('installed'))).toEqual([])
})
