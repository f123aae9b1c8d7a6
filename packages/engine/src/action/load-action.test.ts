import { describe, expect, it } from 'vitest'
import { loadAction } from './load-action.ts'

const manifest = {
  name: 'A_COUNT_WORDS',
  description: 'Counts.',
  input: {},
  output: { words: { type: 'integer' } },
}
const execute = () => ({ words: 1 })

describe('loadAction', () => {
  it('accepts a named export or a method of the default export', () => {
    expect(loadAction(manifest, { execute }, 'f').execute).toBe(execute)
    const counter = {
      words: 7,
      execute() {
        return { words: this.words }
      },
    }
    expect(
      loadAction(manifest, { default: counter }, 'f').execute({}, Object.create(null)),
    ).toEqual({ words: 7 })
  })

  it('says how to export execute when it is missing', () => {
    expect(() => loadAction(manifest, { run: execute }, 'A_COUNT_WORDS/action.json')).toThrow(
      'A_COUNT_WORDS/action.json: A_COUNT_WORDS has no execute: export a function named execute',
    )
  })

  it('reports every mistake of a manifest', () => {
    const wrong = {
      ...manifest,
      name: 'count',
      requires: ['telepathy'],
      output: { words: { type: 'int' } },
    }
    expect(() => loadAction(wrong, { execute }, 'action.json')).toThrow(
      /name: .*requires\[0\]: .*|requires\[0\].*name/s,
    )
    expect(() => loadAction(wrong, { execute }, 'action.json')).toThrow(/output\.words\.type/)
  })
})
