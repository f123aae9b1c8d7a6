import { expect, test } from 'vitest'
import { readCoded } from './coded-text.ts'

test('text between backticks is code', () => {
  expect(readCoded('Run `steward open` in a terminal.')).toEqual([
    { text: 'Run ', isCode: false },
    { text: 'steward open', isCode: true },
    { text: ' in a terminal.', isCode: false },
  ])
  expect(readCoded('`a``b`')).toEqual([
    { text: 'a', isCode: true },
    { text: 'b', isCode: true },
  ])
})

test('an unpaired backtick is unchanged', () => {
  expect(readCoded('it`s fine')).toEqual([{ text: 'it`s fine', isCode: false }])
  expect(readCoded('plain')).toEqual([{ text: 'plain', isCode: false }])
  expect(readCoded('')).toEqual([])
})
