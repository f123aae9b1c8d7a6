import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createLineSplitter } from './line-splitter.ts'

/** Bytes with frequent line breaks, and the positions to cut at. */
const pieces = fc.array(
  fc
    .uint8Array({ maxLength: 12 })
    .map((bytes) => Buffer.from(bytes.map((byte) => (byte % 7 === 0 ? 10 : byte)))),
)

test('however the bytes arrive, the lines are the same, and end where they end', () => {
  fc.assert(
    fc.property(
      pieces,
      fc.integer({ min: 1, max: 20 }),
      fc.nat(1000),
      (chunks, maxLineBytes, offset) => {
        const splitter = createLineSplitter({ maxLineBytes, offset })
        const found = chunks.flatMap((chunk) =>
          splitter.push(chunk).map(({ bytes, end }) => ({ text: bytes?.toString('latin1'), end })),
        )
        const whole = Buffer.concat(chunks).toString('latin1').split('\n')
        const rest = whole.pop() ?? ''
        let end = offset
        const expected = whole.map((text) => {
          end += text.length + 1
          return { text: text.length > maxLineBytes ? undefined : text, end }
        })
        expect(found).toEqual(expected)
        expect(splitter.pendingBytes()).toBe(rest.length)
      },
    ),
  )
})

test('started inside a line, its rest is not a line', () => {
  const splitter = createLineSplitter({ maxLineBytes: 100, offset: 7, insideLine: true })
  expect(splitter.push(Buffer.from('{"a":1}\nnext\n'))).toEqual([
    { bytes: undefined, end: 15 },
    { bytes: Buffer.from('next'), end: 20 },
  ])
})

test('a line without end is not kept', () => {
  const splitter = createLineSplitter({ maxLineBytes: 1000, offset: 0 })
  const chunk = Buffer.alloc(1024 * 1024, 'x')
  const before = process.memoryUsage().arrayBuffers
  for (let count = 0; count < 200; count++) expect(splitter.push(chunk)).toEqual([])
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * 1024 * 1024)
  expect(splitter.push(Buffer.from('\n'))).toEqual([
    { bytes: undefined, end: 200 * 1024 * 1024 + 1 },
  ])
})
