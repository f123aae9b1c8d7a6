import { isJsonObject, type JsonObject } from '@steward/contract'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { findMembers, type WantedMembers } from './find-members.ts'

const WANTED = {
  type: 0,
  at: 1,
  totals: 2,
  message: { id: 3, usage: { input: 4, cache: { written: 5 } } },
} as const
const members = findMembers(WANTED)

/** The values that were found, by their number; undefined if the row must be parsed. */
const pick = (bytes: Buffer, start: number, end: number) => {
  if (!members.read(bytes, start, end)) return undefined
  return Array.from(members.counts, (count, number) => {
    const text = members.text(bytes, number)
    return text ?? (count === -1 ? null : count)
  })
}
const pickLine = (line: string) => {
  const bytes = Buffer.from(line)
  members.begin(bytes)
  return pick(bytes, 0, bytes.length)
}

/** What a full parse has of the wanted members; undefined if it is no object. */
const parseWanted = (line: string): unknown[] | undefined => {
  try {
    const row: unknown = JSON.parse(line)
    return isJsonObject(row) ? keep(row, WANTED) : undefined
  } catch {
    return undefined
  }
}
const keep = (row: JsonObject, wanted: WantedMembers): unknown[] =>
  Object.entries(wanted).flatMap(([key, inner]) => {
    const value = Object.hasOwn(row, key) ? row[key] : undefined
    if (typeof inner === 'number') return [value ?? null]
    return keep(isJsonObject(value) ? value : {}, inner)
  })
/** Values that are left to a full parse. */
const isUnusual = (values: readonly unknown[] | undefined): boolean =>
  values?.some((value) => {
    if (typeof value === 'string') return JSON.stringify(value) !== `"${value}"`
    if (typeof value === 'number') return !/^\d{1,15}$/.test(JSON.stringify(value))
    return value !== null
  }) ?? true

const key = fc.oneof(
  fc.constantFrom('type', 'at', 'totals', 'message', 'id', 'usage', 'input', 'cache', 'written'),
  fc.string({ maxLength: 6 }),
)
const value = fc.oneof(
  fc.constantFrom('assistant', 0, 12, 1.5e3, -7, null, true, '"usage":{"input":9}', '\\', 'ä\n€😀'),
  fc.string({ unit: 'binary', maxLength: 90 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
)
const { row } = fc.letrec((tie) => ({
  row: fc.dictionary(
    key,
    fc.oneof(
      { depthSize: 'xsmall', maxDepth: 3 },
      value,
      tie('row'),
      fc.array(tie('row'), { maxLength: 3 }),
    ),
    { maxKeys: 8 },
  ),
}))
const line = row.map((each) => JSON.stringify(each))
const RUNS = { numRuns: 300 }

it('has the members that a full parse has', () => {
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 4 }), (lines) => {
      // Rows of one buffer share what was read before.
      const bytes = Buffer.from(lines.join('\n'))
      members.begin(bytes)
      let start = 0
      for (const each of lines) {
        const end = start + Buffer.byteLength(each)
        const picked = pick(bytes, start, end)
        const parsed = parseWanted(each)
        if (!hasEscapedKey(each) && !isUnusual(parsed)) expect(picked).toBeDefined()
        if (picked !== undefined) expect(picked).toEqual(parsed)
        start = end + 1
      }
    }),
    RUNS,
  )
})

/** Such a name is not compared, so the row is parsed. */
const hasEscapedKey = (text: string): boolean => /\\[^"]*":|\\"[^"]*":/.test(text)

it('is not certain about rows that were torn, or written into each other', () => {
  fc.assert(
    fc.property(line, line, fc.nat(), (one, other, at) => {
      const torn = one.slice(0, at % one.length)
      expect(pickLine(torn)).toBeUndefined()
      const joined = `${torn}${other}`
      const parsed = parseWanted(joined)
      if (parsed === undefined) expect(pickLine(joined)).toBeUndefined()
      else expect(pickLine(joined) ?? parsed).toEqual(parsed)
    }),
    RUNS,
  )
})

it.each([
  ['{"type":"a"}', ['a', null, null, null, null, null]],
  [
    ' { "type" : "a" , "at" : 12 , "x" : [ 1 , { } ] , "totals" : null } ',
    ['a', 12, null, null, null, null],
  ],
  ['{"message":"no object","totals":"t"}', [null, null, 't', null, null, null]],
  ['{"message":"no object","message":{"id":0}}', [null, null, null, 0, null, null]],
  [
    '{"x":{"message":{"usage":{"input":9}}},"message":{"usage":{"input":1}}}',
    [null, null, null, null, 1, null],
  ],
  ['{"x":"\\\\","type":"ä€"}', ['ä€', null, null, null, null, null]],
  ['{}', [null, null, null, null, null, null]],
])('finds the values of %s', (text, expected) => {
  expect(pickLine(text)).toEqual(expected)
})

it.each([
  '{"type":"a","type":"b"}',
  '{"type":"a","type":null}',
  '{"message":{"id":1},"message":{"usage":{"input":3}}}',
  '{"message":{"id":1},"message":null}',
  '{"type":"\\u0061"}',
  '{"at":100000000000000000000}',
  '{"at":1.5}',
  '{"at":-1}',
  '{"at":true}',
  '{"at":nul}',
  '{"at":nullx}',
  '{"totals":{}}',
  '{"at":01}',
  '{"at":1"x"}',
  '{"at":tru}',
  '{"type":"a"}}',
  '{"type":"a"',
  '{"ty\\u0070e":"a"}',
  '{"type":"a",}',
  '{type:"a"}',
  '[{"type":"a"}]',
  '12',
  '',
])('leaves %s to a full parse', (text) => {
  expect(pickLine(text)).toBeUndefined()
})
