import { expect, test } from 'vitest'
import { missingLines } from './compare-output.ts'
import { readBlocks } from './read-page.ts'

const compare = (shown: string, output: string, language: 'json' | 'text' = 'text') =>
  missingLines({ line: 1, language, text: shown }, output)

test('parts that differ from run to run are equal, and everything else must be the same', () => {
  const output = [
    'run       01a1eda3-3b99-7000-aff0-0be8cfa7b93b took 1.3 s, 2,242 tokens, $0.0170',
    '+ steward backup ~/backups',
    '/tmp/steward-play-AbC/backups/steward-backup-2026-11-18T07-27-40.tar.gz  27.4 kB, verified',
    'idle · 1 turn, 1 tool call',
  ].join('\r\n')
  expect(
    compare(
      [
        'run  22daad77-8cac-4e53-9a47-5ad211a465ec took 88 ms, 7 tokens, $3',
        '/home/me/backups/steward-backup-2026-11-16T07-50-00.tar.gz  1 MB, verified',
        'idle · 1 turn, …',
      ].join('\n'),
      output,
    ),
  ).toEqual([])
  expect(compare('idle · 2 turns, 1 tool call', output)).toEqual(['idle · 2 turns, 1 tool call'])
  expect(compare('steward backup ~/backups', output)).toHaveLength(1)
  expect(compare('idle · 1 turn', output)).toHaveLength(1)
})

test('lines must come in the order of the page', () => {
  expect(compare('one\ntwo', 'one\nbetween\ntwo')).toEqual([])
  expect(compare('two\none', 'one\ntwo')).toEqual(['one'])
})

test('JSON may be laid out in another way, and must have the same values', () => {
  const output = '{"content":"a b","words":2}\n'
  expect(compare('{\n  "content": "a b",\n  "words": 2\n}\n', output, 'json')).toEqual([])
  expect(compare('{ "content": "a b", "words": 3 }\n', output, 'json')).toHaveLength(1)
})

test('only a block directly below a command is its output', () => {
  const page = [
    ['```sh', 'date', '```', '', '```text', 'Monday', '```'],
    ['', '```sh', 'ls', '```', '', 'A file:', '', '```json', '{}', '```'],
  ]
  const blocks = readBlocks(page.flat().join('\n'))
  expect(blocks.map(({ shown }) => shown)).toEqual([
    { line: 5, language: 'text', text: 'Monday\n' },
    undefined,
  ])
})
