import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createHostGate } from './host-gate.ts'

it('lets one request through at a time per host, in order, whether it succeeds or fails', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ host: fc.constantFrom('a', 'b'), fails: fc.boolean() })),
      fc.scheduler(),
      async (calls, scheduler) => {
        const gate = createHostGate()
        const busy = new Set<string>()
        const order: Record<string, number[]> = { a: [], b: [] }
        const work = calls.map(({ host, fails }, index) =>
          gate(host, async () => {
            expect(busy.has(host)).toBe(false)
            busy.add(host)
            order[host]?.push(index)
            await scheduler.schedule(Promise.resolve())
            busy.delete(host)
            if (fails) throw new Error('no')
            return index
          }),
        )
        const settled = Promise.allSettled(work)
        await scheduler.waitFor(settled)
        expect((await settled).map(({ status }) => status === 'rejected')).toEqual(
          calls.map(({ fails }) => fails),
        )
        for (const host of ['a', 'b']) {
          const mine = calls.flatMap((call, index) => (call.host === host ? [index] : []))
          expect(order[host]).toEqual(mine)
        }
      },
    ),
  )
})
