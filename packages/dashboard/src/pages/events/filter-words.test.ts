import { expect, it } from 'vitest'
import { hasWord, readValue, toggleWord } from './filter-words.ts'

it('adds a word, takes it away again, and replaces another value of its key', () => {
  expect(toggleWord('', 'source:voice')).toBe('source:voice')
  expect(toggleWord('"no such file" source:voice', 'source:subagent')).toBe(
    '"no such file" source:subagent',
  )
  expect(toggleWord('tool:Bash since:1h', 'since:1h')).toBe('tool:Bash')
  expect(hasWord('tool:Bash since:1h', 'since:1h')).toBe(true)
  expect(hasWord('-since:1h', 'since:1h')).toBe(false)
})

it('reads the value of a key', () => {
  expect(readValue('-session:no tool:Bash session:a-1', 'session')).toBe('a-1')
  expect(readValue('session:"a b"', 'session')).toBe('a b')
  expect(readValue('session: x', 'session')).toBeUndefined()
})
