import { describe, expect, it } from 'vitest'
import { memorySink } from '../testing/memory-io.ts'
import { formatCost, formatDuration, formatSpend } from './format.ts'
import { paintFor } from './paint.ts'
import { printJson } from './print-json.ts'
import { formatTable } from './table.ts'

describe('words for numbers', () => {
  it('writes times as people do', () => {
    expect([340.4, 2400, 200_000].map(formatDuration)).toEqual(['340 ms', '2.4 s', '3 min 20 s'])
  })

  it('distinguishes free from unknown', () => {
    expect([0, null, 0.00213, 1.5].map(formatCost)).toEqual([
      'free',
      'price unknown',
      '$0.0021',
      '$1.50',
    ])
    const spend = { calls: 1, inputTokens: 1000, outputTokens: 204, cost: 0, models: ['m'] }
    expect(formatSpend(spend)).toBe('1,204 tokens, free')
    expect(formatSpend({ ...spend, calls: 0 })).toBe('')
  })
})

describe('formatTable', () => {
  it('aligns by visible width, ignoring colour codes', () => {
    const { red } = paintFor(true)
    expect(
      formatTable([
        [red('a'), 'x'],
        ['bbb', 'y'],
      ]),
    ).toBe(`${red('a')}    x\nbbb  y\n`)
  })
})

describe('printJson', () => {
  it('is one line for a program, and indented and harmless on a terminal', () => {
    const pipe = memorySink()
    const terminal = memorySink(true)
    printJson(pipe, { a: '\u009b' })
    printJson(terminal, { a: '\u009b' })
    expect(pipe.text()).toBe('{"a":"\u009b"}\n')
    expect(terminal.text()).toBe('{\n  "a": "\\u009b"\n}\n')
  })
})

it('keeps a row on one line, whatever its cells contain', () => {
  expect(formatTable([['file_1', 'a\nfile_2\tb']])).toBe('file_1  a file_2 b\n')
})
