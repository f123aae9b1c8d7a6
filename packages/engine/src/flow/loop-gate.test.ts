import type { JsonObject, LoopGate } from '@steward/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type LoopInput, meetsCriterion, runLoop } from './loop-gate.ts'

const gate = (extra: Partial<LoopGate> = {}): LoopGate => ({
  field: 'qualityScore',
  op: 'gte',
  value: 80,
  maxIterations: 5,
  ...extra,
})

/** A pipeline that improves by 30 each time and, like a real one, passes its input through. */
const improving =
  (calls: LoopInput[]) =>
  async (input: LoopInput): Promise<JsonObject> => {
    calls.push(input)
    return {
      ...input,
      content: `draft ${input.iteration + 1}`,
      qualityScore: 30 * (input.iteration + 1),
    }
  }

describe('runLoop', () => {
  it('sends content, previousResult and iteration from 0, and stops at the criterion', async () => {
    const calls: LoopInput[] = []
    const outcome = await runLoop(gate(), { content: 'start', title: 'T' }, improving(calls))
    expect(calls.map(({ content, iteration }) => [content, iteration])).toEqual([
      ['start', 0],
      ['draft 1', 1],
      ['draft 2', 2],
    ])
    expect(calls[0]?.previousResult).toBeNull()
    expect(calls[2]?.previousResult).toEqual({ title: 'T', content: 'draft 2', qualityScore: 60 })
    expect(outcome).toMatchObject({
      iterations: 3,
      passed: true,
      output: { content: 'draft 3', qualityScore: 90 },
    })
  })

  it('is an error at the cap, with the last value', async () => {
    const calls: LoopInput[] = []
    const looped = runLoop(
      gate({ value: 1000, maxIterations: 2 }),
      { content: 'x' },
      improving(calls),
    )
    await expect(looped).rejects.toMatchObject({
      code: 'loop_unmet',
      message:
        'the loop gate qualityScore gte 1000 was not met after 2 iterations: the last value is 60',
    })
    expect(calls).toHaveLength(2)
  })

  it('names a field that the result never has', async () => {
    const looped = runLoop(gate({ field: 'score', op: 'ne', maxIterations: 2 }), {}, improving([]))
    await expect(looped).rejects.toThrow('the result has no field score')
  })

  it('delivers the last result at the cap if the gate says so', async () => {
    const calls: LoopInput[] = []
    const outcome = await runLoop(
      gate({ value: 1000, maxIterations: 2, onCap: 'deliver' }),
      { content: 'x' },
      improving(calls),
    )
    expect(calls).toHaveLength(2)
    expect(outcome).toMatchObject({ iterations: 2, passed: false, output: { content: 'draft 2' } })
  })

  it('never calls more often than the limit', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 0, max: 900 }),
        async (maxIterations, value) => {
          const calls: LoopInput[] = []
          const { iterations, passed } = await runLoop(
            gate({ maxIterations, value, onCap: 'deliver' }),
            { content: '' },
            improving(calls),
          )
          expect(iterations).toBe(calls.length)
          expect(calls.length).toBe(Math.min(maxIterations, Math.max(1, Math.ceil(value / 30))))
          expect(passed).toBe(30 * calls.length >= value)
        },
      ),
    )
  })
})

describe('meetsCriterion', () => {
  it.each<[Partial<LoopGate>, JsonObject, boolean]>([
    [{ op: 'gte', value: 8 }, { qualityScore: 8 }, true],
    [{ op: 'gt', value: 8 }, { qualityScore: 8 }, false],
    [{ op: 'lte', value: 8 }, { qualityScore: 8 }, true],
    [{ op: 'lt', value: 8 }, { qualityScore: 7 }, true],
    [{ op: 'eq', value: true }, { qualityScore: true }, true],
    [{ op: 'eq', value: 'done' }, { qualityScore: 'open' }, false],
    [{ op: 'ne', value: 'open' }, { qualityScore: 'done' }, true],
    [{ op: 'ne', value: 'open' }, {}, false],
    [{ op: 'gte', value: 0 }, {}, false],
    [{ op: 'gte', value: 5 }, { output: { qualityScore: 9 }, qualityScore: 1 }, true],
  ])('%j on %j is %s', (extra, result, met) => {
    expect(meetsCriterion(gate(extra), result)).toBe(met)
  })

  it('reports a field that cannot be compared', () => {
    expect(() => meetsCriterion(gate(), { qualityScore: 'high' })).toThrow(
      '"qualityScore" is string "high" and cannot be compared (gte) with 80',
    )
  })
})
