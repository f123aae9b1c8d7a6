import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { parseLedger } from '@steward/edge'
import { resolveHome } from '@steward/platform'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { memorySink } from '../testing/memory-io.ts'
import { openLedger } from './open-ledger.ts'
import { isTerminalInput, promptHidden } from './prompt-hidden.ts'
import { storeVariable, withVariable } from './store-variable.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'steward-deploy-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

describe('withVariable', () => {
  it('replaces the line that counts and leaves every other byte', () => {
    const text = '# keys\nAUTH_TOKEN=old\r\nexport AUTH_TOKEN = newer\nMY_AUTH_TOKEN=x'
    expect(withVariable(text, 'AUTH_TOKEN', 'n')).toBe(
      '# keys\nAUTH_TOKEN=old\r\nAUTH_TOKEN=n\nMY_AUTH_TOKEN=x',
    )
    expect(withVariable('A=1', 'B', '2')).toBe('A=1\nB=2\n')
    expect(withVariable('', 'B', '2')).toBe('B=2\n')
  })

  it('has the value afterwards, whatever was there', () => {
    const line = fc.constantFrom('AUTH_TOKEN=1', 'export AUTH_TOKEN=2', '# x', '', 'OTHER=3')
    fc.assert(
      fc.property(fc.array(line), fc.stringMatching(/^[0-9a-f]{8}$/), (lines, value) => {
        const text = withVariable(lines.join('\n'), 'AUTH_TOKEN', value)
        const last = text.split('\n').findLast((each) => /^(export )?AUTH_TOKEN=/.test(each))
        expect(last).toBe(`AUTH_TOKEN=${value}`)
      }),
    )
  })
})

it('stores a variable where only its owner reads it', async () => {
  const home = resolveHome({ STEWARD_HOME: folder })
  await writeFile(home.envFile, 'A=1\n', { mode: 0o644 })
  await storeVariable(home, 'AUTH_TOKEN', 'abc')
  expect(await readFile(home.envFile, 'utf8')).toBe('A=1\nAUTH_TOKEN=abc\n')
  expect((await stat(home.envFile)).mode & 0o777).toBe(0o600)
})

describe('openLedger', () => {
  const record = {
    time: '2026-01-01T00:00:00.000Z',
    account: 'mine',
    short: 'a-zap-it',
    worker: 'exec-a-zap-it',
    hash: 'h',
    version: 'v',
    previousVersion: null,
    url: null,
  }

  it('is empty at first, and a torn line costs only itself', async () => {
    const home = resolveHome({ STEWARD_HOME: folder })
    const ledger = openLedger(home)
    expect(await ledger.read()).toBe('')
    await ledger.append(record)
    const file = join(home.databases, 'edge/deploys.jsonl')
    await writeFile(file, `${await readFile(file, 'utf8')}{"time":"20`)
    await ledger.append({ ...record, hash: 'h2' })
    const { latest, unreadable } = parseLedger(await ledger.read(), 'mine')
    expect(latest.get('a-zap-it')?.hash).toBe('h2')
    expect(unreadable).toEqual([2])
  })
})

describe('promptHidden', () => {
  const terminal = () => {
    const modes: boolean[] = []
    const stdin = Object.assign(new Readable({ read: () => undefined }), {
      isTTY: true as const,
      setRawMode: (raw: boolean) => modes.push(raw),
    })
    return { stdin, modes }
  }
  const type = async (text: string) => {
    const { stdin, modes } = terminal()
    const sink = memorySink(true)
    const asked = promptHidden(stdin, sink, 'KEY: ')
    stdin.push(text)
    return { value: await asked, shown: sink.text(), modes }
  }

  it('takes what is typed, shows nothing of it, and gives the terminal back', async () => {
    expect(await type('sk-ü1x\u007f2\r')).toEqual({
      value: 'sk-ü12',
      shown: 'KEY: \n',
      modes: [true, false],
    })
  })

  it('ends at ^C', async () => {
    await expect(type('abc\u0003')).rejects.toMatchObject({ exitCode: 130 })
  })

  it('is for terminals only', () => {
    expect(isTerminalInput(terminal().stdin)).toBe(true)
    expect(isTerminalInput(Readable.from(['x']))).toBe(false)
  })
})
