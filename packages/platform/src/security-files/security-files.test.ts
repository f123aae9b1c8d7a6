import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LIMITS, StewardError } from '@steward/contract'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Home, resolveHome } from '../home/home.ts'
import { createRedactor } from '../redaction/redactor.ts'
import { readSecurityEvents } from '../security-log/read-security-events.ts'
import { changeSecurityText, undoSecurityChange } from './change-security-text.ts'
import { lastSecurityChange } from './kept-changes.ts'
import { readSecurityText } from './security-texts.ts'

let home: Home
beforeEach(() => {
  home = resolveHome({ STEWARD_HOME: mkdtempSync(join(tmpdir(), 'steward-security-files-')) })
})
afterEach(() => rmSync(home.root, { recursive: true, force: true }))

const redactor = createRedactor({})
const policy = () => join(home.user.security, 'PATTERNS.yaml')
const set = (text: string, expected?: string) =>
  changeSecurityText(
    home,
    { file: 'policy', expected, action: 'set', target: text, change: () => text },
    { redactor },
  )
const undo = (id: string) => undoSecurityChange(home, id, { redactor })

describe('the files of security', () => {
  it('change by revision; the second of two editors gets a conflict and loses nothing', async () => {
    const none = await readSecurityText(home, 'policy')
    expect(none).toEqual({ text: undefined, revision: 'none' })
    const [first, second] = await Promise.allSettled([set('a', 'none'), set('b', 'none')])
    expect([first.status, second.status].toSorted()).toEqual(['fulfilled', 'rejected'])
    const refused = first.status === 'rejected' ? first : second
    const { text, revision } = await readSecurityText(home, 'policy')
    expect(['a', 'b']).toContain(text)
    expect(refused).toMatchObject({
      reason: { code: 'version_conflict', details: { current: revision } },
    })
  })

  it('go back step by step, and forth again, unless they were changed since', async () => {
    const { undo: first } = await set('one')
    const { undo: second } = await set('two')
    expect(await lastSecurityChange(home)).toBe(second)
    await expect(undo(first)).rejects.toMatchObject({ code: 'version_conflict' })
    const back = await undo(second)
    expect(readFileSync(policy(), 'utf8')).toBe('one')
    expect(await lastSecurityChange(home)).toBe(first)
    await undo(first)
    expect(await readSecurityText(home, 'policy')).toMatchObject({ text: undefined })
    expect(await lastSecurityChange(home)).toBeUndefined()
    await expect(undo(back.undo)).rejects.toMatchObject({ code: 'version_conflict' })
    for (const id of ['nonsense', '000099-00000000', '../../token']) {
      await expect(undo(id)).rejects.toMatchObject({ code: 'not_found' })
    }
    const { events } = await readSecurityEvents(home, { limit: 10 }, redactor)
    expect(events.map(({ reason, rule }) => [reason, rule])).toEqual([
      ['undo', 'builtin:policy-change'],
      ['undo', 'builtin:policy-change'],
      ['set', 'builtin:policy-change'],
      ['set', 'builtin:policy-change'],
    ])
  })

  it('keep the last fifty changes', async () => {
    const folder = join(home.user.security, '.undo')
    mkdirSync(folder, { recursive: true })
    for (let n = 10; n < 62; n++) writeFileSync(join(folder, `0000${n}-0123abcd.json`), '{}')
    expect((await set('x')).undo).toMatch(/^000062-/)
    expect(readdirSync(folder)).toHaveLength(50)
  })

  it('stay links, and nothing is written if a change is refused', async () => {
    mkdirSync(home.user.security, { recursive: true })
    const real = join(home.root, 'mine.yaml')
    writeFileSync(real, 'old')
    symlinkSync(real, policy())
    await set('new')
    expect(readFileSync(real, 'utf8')).toBe('new')
    const change = () => {
      throw new StewardError('invalid_input', { subject: 'x', reason: 'y' })
    }
    const before = readdirSync(home.root, { recursive: true }).toSorted()
    await expect(
      changeSecurityText(home, { file: 'policy', action: 'x', target: '', change }, { redactor }),
    ).rejects.toMatchObject({ code: 'invalid_input' })
    expect(readdirSync(home.root, { recursive: true }).toSorted()).toEqual(before)
    expect(readFileSync(real, 'utf8')).toBe('new')
  })

  it('are not read when they are absurdly long', async () => {
    await set('x'.repeat(LIMITS.policyBytes + 1))
    await expect(readSecurityText(home, 'policy')).rejects.toMatchObject({
      code: 'rejected_content',
    })
  })
})
