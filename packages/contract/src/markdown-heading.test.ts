import { expect, it } from 'vitest'
import { readHeading } from './markdown-heading.ts'

it.each([
  ['# Title', { level: 1, title: 'Title' }],
  ['###\tA # B ## \t', { level: 3, title: 'A # B' }],
  ['## Title\r', { level: 2, title: 'Title' }],
  ['## ', { level: 2, title: '' }],
  ['####### seven', undefined],
  ['#tag', undefined],
  ['text', undefined],
])('reads %j as %j', (line, expected) => expect(readHeading(line)).toEqual(expected))

it('reads a line of blanks and hashes in a single pass', () => {
  // Quadratic time would be minutes, so it is enough that this returns.
  for (const part of [' ', '#', ' #', '# \t']) {
    const title = `${part.repeat(1_000_000)}x`.trimStart()
    expect(readHeading(`# ${title}`)).toEqual({ level: 1, title })
  }
})
