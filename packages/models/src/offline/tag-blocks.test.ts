import { describe, expect, it } from 'vitest'
import { takeBlocks } from './tag-blocks.ts'

describe('takeBlocks', () => {
  it('takes every block, whatever its case and attributes', () => {
    expect(takeBlocks('a <X id="1">one</X > b <x>two</x> c', 'x')).toEqual({
      inside: ['one', 'two'],
      outside: 'a \n b \n c',
    })
  })

  it('leaves a block that is not closed, and tags that only start alike', () => {
    expect(takeBlocks('<x>one', 'x')).toEqual({ inside: [], outside: '<x>one' })
    expect(takeBlocks('<xy>one</xy>', 'x').inside).toEqual([])
  })
})
