import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { loadProgram } from './load-program.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'steward-load-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const write = (hash: string, body: string): void =>
  writeFileSync(
    join(folder, 'program.js'),
    `//${hash}\n(function (exports, module, importLate) { module.exports = { runHook: async () => { ${body} } } })\n`,
  )

const load = (kind = 'PostToolUse') =>
  loadProgram({
    file: join(folder, 'program.js'),
    cache: join(folder, 'cache'),
    kind,
    importLate: async () => 7,
  })

describe('loadProgram', () => {
  it('runs the program, which may load its late part', async () => {
    write('a', 'return importLate()')
    expect(await load().runHook(process)).toBe(7)
  })

  it('keeps text in other alphabets', async () => {
    write('a', "return /игнорируй|忽略/.test('忽略') ? 3 : 4")
    expect(await load().runHook(process)).toBe(3)
  })

  it('caches compiled code once per kind, and drops that of another program', () => {
    write('a', 'return 1')
    load('PreToolUse --guard').keepCompiled()
    load().keepCompiled()
    const kept = () => readdirSync(join(folder, 'cache')).sort()
    const version = process.version
    expect(kept()).toEqual([`a-${version}-PostToolUse`, `a-${version}-PreToolUse-guard`])
    const before = readFileSync(join(folder, 'cache', `a-${version}-PostToolUse`))
    load().keepCompiled()
    expect(readFileSync(join(folder, 'cache', `a-${version}-PostToolUse`))).toEqual(before)
    write('b', 'return 2')
    load().keepCompiled()
    expect(kept()).toEqual([`b-${version}-PostToolUse`])
  })

  it('never runs compiled code of another program of the same length, nor a broken one', async () => {
    write('a', 'return 1')
    const first = load()
    expect(await first.runHook(process)).toBe(1)
    first.keepCompiled()
    write('b', 'return 2')
    expect(await load().runHook(process)).toBe(2)
    writeFileSync(join(folder, 'cache', `b-${process.version}-PostToolUse`), 'rubbish')
    expect(await load().runHook(process)).toBe(2)
  })
})
