import { expect, it } from 'vitest'
import { rankCommands } from './rank-commands.ts'

const COMMANDS = [
  { title: 'Go to Agents' },
  { title: 'Go to Flows' },
  { title: 'Go to Knowledge', words: 'Memory' },
]
const titles = (typed: string) => rankCommands(COMMANDS, typed).map(({ title }) => title)

it('shows all until something is typed', () => expect(titles('  ')).toHaveLength(3))

it('puts a prefix match before a match inside a word', () => {
  expect(titles('flow')).toEqual(['Go to Flows'])
  expect(titles('low')).toEqual(['Go to Flows'])
  expect(titles('e')).toContain('Go to Knowledge')
})

it('finds by other words and scattered letters, and nothing for nonsense', () => {
  expect(titles('memory')).toEqual(['Go to Knowledge'])
  expect(titles('knwl')).toEqual(['Go to Knowledge'])
  expect(titles('zzz')).toEqual([])
})
