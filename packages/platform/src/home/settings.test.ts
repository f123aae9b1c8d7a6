import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parseSettings, readSettings } from './settings.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'steward-settings-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const messageOf = (text: string): string => {
  const parsed = parseSettings(text, 'settings.json')
  return parsed.ok ? 'valid' : parsed.error.message
}

describe('readSettings', () => {
  it('uses the defaults without a file', async () => {
    const result = await readSettings({ settings: join(folder, 'settings.json') })
    expect(result).toMatchObject({
      ok: true,
      value: { execution: { shell: { withoutSandbox: 'refuse' } } },
    })
  })

  it('reads the file and keeps keys of other tools', async () => {
    const path = join(folder, 'settings.json')
    await writeFile(path, '{"execution": {"budgets": {"perDayUsd": 2}}, "hooks": {"on": true}}')
    expect(await readSettings({ settings: path })).toMatchObject({
      ok: true,
      value: { execution: { budgets: { perDayUsd: 2 } }, hooks: { on: true } },
    })
  })

  it('reports an unreadable file', async () => {
    expect(await readSettings({ settings: folder })).toMatchObject({
      ok: false,
      error: { code: 'invalid_definition' },
    })
  })
})

describe('parseSettings', () => {
  it('gives line and column of broken JSON', () => {
    expect(messageOf('{\n  "execution": {,}\n}')).toContain('line 2, column 17')
  })

  it('names every mistake with its path and line', () => {
    const text = `{
  "execution": {
    "shell": { "withoutSandbox": "maybe" },
    "budgets": {
      "perDayUSD": 5,
      "perRunUsd": "one"
    },
    "fetch": { "allowPrivateHosts": ["ok", 7] }
  }
}`
    const message = messageOf(text)
    expect(message).toContain('line 3: execution.shell.withoutSandbox: ')
    expect(message).toContain('line 5: execution.budgets.perDayUSD: unknown key')
    expect(message).toContain('line 6: execution.budgets.perRunUsd: ')
    expect(message).toContain('line 8: execution.fetch.allowPrivateHosts[1]: ')
  })

  it('rejects a list', () => {
    expect(messageOf('[]')).toContain('line 1: the whole file: ')
  })
})
