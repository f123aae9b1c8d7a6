import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LIMITS } from '@steward/contract'
import { afterAll, describe, expect, it } from 'vitest'
import { memoryIo, stdinOf } from '../testing/memory-io.ts'
import { gatherInput, type InputRequest } from './gather-input.ts'
import { parseFlags } from './parse-flags.ts'

const folder = mkdtempSync(join(tmpdir(), 'steward-input-'))
afterAll(() => rmSync(folder, { recursive: true }))
writeFileSync(join(folder, 'input.json'), '{"content": "from a file"}')
writeFileSync(join(folder, 'article.md'), '# On tea\n')
writeFileSync(join(folder, 'latin.txt'), Buffer.from([0x63, 0xe9]))

const gather = (words: string[], given: Partial<InputRequest> = {}, piped?: string) =>
  gatherInput(
    memoryIo({
      cwd: folder,
      stdin: stdinOf(piped ?? ''),
      stdinKind: () => (piped === undefined ? 'nothing' : 'pipe'),
    }),
    { ...parseFlags(words), input: undefined, declared: new Map(), ...given },
  )

describe('gatherInput', () => {
  it('reads every form', async () => {
    expect(await gather(['{"content":"a"}'])).toEqual({ content: 'a' })
    expect(await gather([], { input: '{"content":"b"}' })).toEqual({ content: 'b' })
    expect(await gather([], { input: '@input.json' })).toEqual({ content: 'from a file' })
    expect(await gather([], { input: '-' }, '{"content":"c"}')).toEqual({ content: 'c' })
    expect(await gather([], {}, '{"content":"d"}')).toEqual({ content: 'd' })
    expect(await gather(['--url', 'https://x/?a=1'])).toEqual({ url: 'https://x/?a=1' })
    expect(await gather(['--content', '@article.md'])).toEqual({ content: '# On tea\n' })
    expect(await gather(['--content', '@-'], {}, 'plain text')).toEqual({ content: 'plain text' })
    expect(await gather(['--who', '@@me', '--deep'])).toEqual({ who: '@me', deep: true })
    expect(await gather([])).toEqual({})
  })

  it('later inputs win, per field', async () => {
    const piped = '{"a":"stdin","b":"stdin","c":"stdin","d":"stdin"}'
    const given = { input: '{"c":"input","d":"input"}' }
    expect(await gather(['{"b":"word","c":"word"}', '--d', 'flag'], given, piped)).toEqual({
      a: 'stdin',
      b: 'word',
      c: 'input',
      d: 'flag',
    })
  })

  it('reads values as JSON unless the field is declared a string', async () => {
    const words = ['--year', '2024', '--tags', '["a"]', '--title', '2024', '--quoted', '"x"']
    const declared = new Map([
      ['title', 'string'],
      ['quoted', 'string'],
    ])
    expect(await gather(words, { declared })).toEqual({
      year: 2024,
      tags: ['a'],
      title: '2024',
      quoted: 'x',
    })
  })

  it('keeps a field called __proto__ a field', async () => {
    const input = await gather(['{"__proto__":{"a":1}}'])
    expect(Object.keys(input)).toEqual(['__proto__'])
  })

  it('names the place of a JSON mistake, and how to pass a text file', async () => {
    await expect(gather(['{"a": 1,}'])).rejects.toThrow(/line 1, column 9/)
    await expect(gather([], { input: '@article.md' })).rejects.toThrow(/--content @article.md/)
    await expect(gather([], {}, '[1]')).rejects.toThrow(/must be a JSON object .* found array/)
  })

  it('reports a file that is missing, too large, or not text', async () => {
    await expect(gather(['--content', '@gone.md'])).rejects.toThrow(
      'gone.md: there is no such file',
    )
    await expect(gather(['--content', '@latin.txt'])).rejects.toThrow('is not UTF-8 text')
    await expect(gather(['--content', `@${folder}`])).rejects.toThrow('is a folder')
    writeFileSync(join(folder, 'big.json'), Buffer.alloc(LIMITS.inputBytes + 1, 32))
    await expect(gather([], { input: '@big.json' })).rejects.toMatchObject({
      code: 'payload_too_large',
    })
  })
})
