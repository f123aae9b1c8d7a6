import { describe, expect, it } from 'vitest'
import { takeBlocks } from './tag-blocks.ts'

describe('takeBlocks', () => {
  it('extracts every block, whatever its case and attributes', () => {
    expect(takeBlocks('a <X id="1">one</X > b <x>two</x> c', 'x')).toEqual({
      inside: ['one', 'two'],
      outside: 'a \n b \n c',
    })
  })

  it('leaves an unclosed block, and tags with the same prefix', () => {
    expect(takeBlocks('<x>one', 'x')).toEqual({ inside: [], outside: '<x>one' })
    expect(takeBlocks('<xy>one</xy>', 'x').inside).toEqual([])
  })
})
