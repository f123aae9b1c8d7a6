import { expect, it } from 'vitest'
import { hasWord, toggleWord } from './filter-words.ts'

it('adds a word, takes it away again, and replaces another value of its key', () => {
  expect(toggleWord('', 'source:voice')).toBe('source:voice')
  expect(toggleWord('"no such file" source:voice', 'source:subagent')).toBe(
    '"no such file" source:subagent',
  )
  expect(toggleWord('tool:Bash since:1h', 'since:1h')).toBe('tool:Bash')
  expect(hasWord('tool:Bash since:1h', 'since:1h')).toBe(true)
  expect(hasWord('-since:1h', 'since:1h')).toBe(false)
})
