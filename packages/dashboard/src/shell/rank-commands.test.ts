import { expect, it } from 'vitest'
import { rankCommands } from './rank-commands.ts'

const COMMANDS = [
  { id: 'a', title: 'Go to Automations', words: 'flows queue' },
  { id: 'f', title: 'Open F_TIDES', words: 'reads the flows of tides' },
  { id: 'k', title: 'Go to Knowledge', words: 'Memory', keys: 'g k' },
]
const titles = (typed: string, recent?: readonly string[]) =>
  rankCommands(COMMANDS, typed, recent).map(({ title }) => title)

it('shows all until something is typed', () => expect(titles('  ')).toHaveLength(3))

it('puts the title before other words, and a word before a part of one', () => {
  expect(titles('tides')).toEqual(['Open F_TIDES'])
  expect(titles('go')).toEqual(['Go to Automations', 'Go to Knowledge'])
  expect(titles('low')).toEqual(['Go to Automations', 'Open F_TIDES'])
})

it('needs every word', () => {
  expect(titles('open flows')).toEqual(['Open F_TIDES'])
  expect(titles('open memory')).toEqual([])
})

it('puts the last used of equals first', () => {
  expect(titles('flows')).toEqual(['Go to Automations', 'Open F_TIDES'])
  expect(titles('flows', ['f'])).toEqual(['Open F_TIDES', 'Go to Automations'])
})

it('puts commands of the shown page before used ones', () => {
  const near = { id: 'n', title: 'Pause flows', isNear: true }
  const found = rankCommands([...COMMANDS, near], 'flows', ['f']).map(({ id }) => id)
  expect(found).toEqual(['n', 'f', 'a'])
})

it('puts names and synonyms before sentences and results of the daemon, and those before parts', () => {
  const commands = [
    { id: 'rule', title: 'changes tides of the sea', words: 'filename', isSentence: true },
    { id: 'part', title: 'Riptides' },
    { id: 'note', title: 'Harbour', isFound: true },
    { id: 'page', title: 'Go to Gauges', words: 'tides' },
    { id: 'lena', title: 'Lena Winter', isFound: true },
  ]
  const idsFor = (typed: string) => rankCommands(commands, typed).map(({ id }) => id)
  expect(idsFor('tides')).toEqual(['page', 'rule', 'note', 'lena', 'part'])
  expect(idsFor('lena')).toEqual(['lena', 'note', 'rule'])
})

it('finds by synonyms, pages by scattered letters, and nothing for nonsense', () => {
  expect(titles('memory')).toEqual(['Go to Knowledge'])
  expect(titles('knwl')).toEqual(['Go to Knowledge'])
  expect(titles('otds')).toEqual([])
  expect(titles('zzz')).toEqual([])
})
