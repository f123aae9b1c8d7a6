import type { JsonObject } from '@steward/contract'
import { describe, expect, it } from 'vitest'
import { runPipeline } from './run-pipeline.ts'

describe('runPipeline', () => {
  it('runs each action once, in order, the output of one being the input of the next', async () => {
    const calls: Array<[number, string, JsonObject]> = []
    const output = await runPipeline(
      { actions: ['A_ONE_X', 'A_TWO_X', 'A_THREE_X'] },
      { index: 0, input: { content: 'c' } },
      async ({ index, action, input }) => {
        calls.push([index, action, input])
        return { [`from${index}`]: index }
      },
    )
    expect(calls).toEqual([
      [0, 'A_ONE_X', { content: 'c' }],
      [1, 'A_TWO_X', { content: 'c', from0: 0 }],
      [2, 'A_THREE_X', { content: 'c', from0: 0, from1: 1 }],
    ])
    expect(output).toEqual({ content: 'c', from0: 0, from1: 1, from2: 2 })
  })

  it('starts in the middle', async () => {
    const seen: string[] = []
    await runPipeline(
      { actions: ['A_ONE_X', 'A_TWO_X'] },
      { index: 1, input: {} },
      async ({ action }) => {
        seen.push(action)
        return {}
      },
    )
    expect(seen).toEqual(['A_TWO_X'])
  })

  it('stops at the first failure', async () => {
    const seen: string[] = []
    const running = runPipeline(
      { actions: ['A_ONE_X', 'A_TWO_X'] },
      { index: 0, input: {} },
      async ({ action }) => {
        seen.push(action)
        throw new Error('broken')
      },
    )
    await expect(running).rejects.toThrow('broken')
    expect(seen).toEqual(['A_ONE_X'])
  })
})
