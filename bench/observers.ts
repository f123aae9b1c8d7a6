import { type ObserverVerdict, observerPolicy } from '@steward/contract'
import { openPolicy } from '@steward/policy'
import { createReadCall } from '../packages/daemon/src/observing/read-call.ts'
import { observeRecorded } from '../packages/daemon/src/observing/run-observers.ts'
import { openSessionLog } from '../packages/daemon/src/observing/session-log.ts'
import { askStandIn } from '../packages/daemon/src/observing/testing/ask-stand-in.ts'
import { openFixture } from '../packages/daemon/src/observing/testing/open-fixture.ts'
import { startVendorStandIn } from '../packages/models/src/testing/vendor-stand-in.ts'

/**
 * The cost of an hour of observing, counted by the vendor stand-in, and the duration of a cycle
 * compared with 30 seconds.
 */
export const benchObservers = async (print: (line: string) => void): Promise<void> => {
  const standIn = await startVendorStandIn()
  const { home, session, remove } = await openFixture('harmless-hour')
  try {
    const policy = openPolicy({ text: undefined, home: '/home/u', dataHome: home.root })
    if (!policy.ok) throw policy.error
    const ports = {
      sessionId: session,
      policy: observerPolicy.parse({}),
      readCall: createReadCall(policy.value),
      home: '/home/u',
      oversight: [],
    }
    const model = { ask: askStandIn(standIn), fence: 'bench' }
    for (const [name, given] of [
      ['rules', ports],
      ['model', { ...ports, model }],
    ] as const) {
      const log = await openSessionLog(home, session, 'all')
      const verdicts: ObserverVerdict[] = []
      await observeRecorded(given, log, async (verdict) => {
        verdicts.push(verdict)
      })
      await log.close()
      const times = verdicts.map(({ duration_ms }) => duration_ms).toSorted((a, b) => a - b)
      const at = (part: number) => times[Math.floor(times.length * part)] ?? Number.NaN
      const rows = verdicts.reduce((sum, verdict) => sum + verdict.rows, 0)
      const last = verdicts.at(-1)?.cost
      print(
        `${name}: ${verdicts.length} cycles, ${rows} calls; a cycle takes ${at(0.5).toFixed(2)} ms, 95 % within ${at(0.95).toFixed(2)} ms, ${((at(0.5) / 30_000) * 100).toFixed(3)} % of 30 s`,
      )
      print(`${name}: $${last?.per_primary_hour_usd?.toFixed(4) ?? 'unknown'} a primary-hour`)
    }
    const sizes = standIn.calls.map(({ prompt, system }) => prompt.length + system.length)
    const mean = sizes.reduce((sum, size) => sum + size, 0) / sizes.length
    print(`the vendor counted ${standIn.calls.length} calls of ${mean.toFixed(0)} characters each`)
  } finally {
    await standIn.close()
    remove()
  }
}
