import { isJsonObject, type JsonObject } from '@steward/contract'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { pickMembers, type WantedMembers } from './pick-members.ts'

const WANTED = {
  type: true,
  at: true,
  totals: true,
  message: { id: true, usage: { input: true, cache: { written: true } } },
} as const
const pick = pickMembers(WANTED)
const pickLine = (line: string) => pick(Buffer.from(line), 0, Buffer.byteLength(line))

/** What a full parse has of the wanted members; undefined if it is no object. */
const parseWanted = (line: string): JsonObject | undefined => {
  try {
    const row: unknown = JSON.parse(line)
    return isJsonObject(row) ? keep(row, WANTED) : undefined
  } catch {
    return undefined
  }
}
const keep = (row: JsonObject, wanted: WantedMembers): JsonObject => {
  const kept: JsonObject = {}
  for (const [key, inner] of Object.entries(wanted)) {
    const value = row[key]
    if (!Object.hasOwn(row, key)) continue
    kept[key] = isJsonObject(value) && inner !== true ? keep(value, inner) : value
  }
  return kept
}

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
      let start = 0
      for (const each of lines) {
        const end = start + Buffer.byteLength(each)
        const picked = pick(bytes, start, end)
        if (!hasEscapedKey(each)) expect(picked).toBeDefined()
        if (picked !== undefined) expect(picked).toEqual(parseWanted(each))
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
  ['{"type":"a","type":"b"}', { type: 'b' }],
  ['{"message":{"id":1},"message":{"usage":{"input":3}}}', { message: { usage: { input: 3 } } }],
  [' { "type" : "a" , "at" : 12 , "x" : [ 1 , { } ] } ', { type: 'a', at: 12 }],
  [
    '{"message":"no object","totals":{"m":{"n":[1]}}}',
    { message: 'no object', totals: { m: { n: [1] } } },
  ],
  [
    '{"x":{"message":{"usage":{"input":9}}},"message":{"usage":{"input":1}}}',
    { message: { usage: { input: 1 } } },
  ],
  ['{"x":"\\\\","type":"\\u0061"}', { type: 'a' }],
  ['{"at":100000000000000000000}', { at: 1e20 }],
  ['{}', {}],
])('reads %s', (text, expected) => {
  expect(pickLine(text)).toEqual(expected)
})

it.each([
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
