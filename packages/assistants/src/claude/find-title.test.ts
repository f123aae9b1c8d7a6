import { expect, it } from 'vitest'
import { findTitle } from './find-title.ts'

const rowOf = (content: unknown, more: object = {}): string =>
  JSON.stringify({ type: 'user', sessionId: 's1', message: { role: 'user', content }, ...more })
const bytesOf = (...rows: string[]): Buffer => Buffer.from(`${rows.join('\n')}\n`)

it('is the first line of the first prompt', () => {
  const rows = bytesOf(
    '{"type":"mode","sessionId":"s1"}',
    rowOf('Repair the "checkout"\nas soon as you can'),
    rowOf('and the basket'),
  )
  expect(findTitle(rows)).toEqual({ session: 's1', title: 'Repair the "checkout"' })
})

it('may be beside a picture', () => {
  const content = [{ type: 'image' }, { type: 'text', text: 'What is this?' }]
  expect(findTitle(bytesOf(rowOf(content)))).toEqual({ session: 's1', title: 'What is this?' })
})

it('is a prompt of the person', () => {
  const rows = bytesOf(
    rowOf('Caveat: the messages below', { isMeta: true }),
    rowOf('<command-name>/clear</command-name>'),
    rowOf('of a subagent', { isSidechain: true }),
    rowOf('This session is continued', { isCompactSummary: true }),
    rowOf([{ type: 'tool_result', content: 'of a tool' }]),
    'not a row "type":"user"',
    rowOf(' paint the boat '),
  )
  expect(findTitle(rows)).toMatchObject({ title: 'paint the boat' })
})

it('is missing where there is no prompt', () => {
  expect(findTitle(bytesOf('{"type":"assistant"}', rowOf('')))).toBeUndefined()
  expect(findTitle(Buffer.alloc(0))).toBeUndefined()
})
