import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runItems } from './run-items.ts'

describe('runItems', () => {
  it('processes every item once, in place, and never more than the limit at a time', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.boolean(), { maxLength: 40 }),
        fc.integer({ min: 1, max: 8 }),
        async (items, concurrency) => {
          let running = 0
          let most = 0
          const results = await runItems(items, concurrency, async (good, index) => {
            most = Math.max(most, ++running)
            await Promise.resolve()
            running--
            if (!good) throw new Error(`item ${index}`)
            return index
          })
          expect(most).toBeLessThanOrEqual(concurrency)
          expect(
            results.map((result) => (result.status === 'fulfilled' ? result.value : -1)),
          ).toEqual(items.map((good, index) => (good ? index : -1)))
        },
      ),
    )
  })
})
