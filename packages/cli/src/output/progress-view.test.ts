import type { Progress } from '@steward/runner'
import { describe, expect, it } from 'vitest'
import { memorySink } from '../testing/memory-io.ts'
import { createProgressView } from './progress-view.ts'

const NO_SPEND = { calls: 0, inputTokens: 0, outputTokens: 0, cost: 0, models: [] }
const run: Progress[] = [
  { kind: 'run-started', runId: 'r', name: 'P_X', steps: 1 },
  { kind: 'step-started', runId: 'r', step: 1, of: 1, action: 'A_DO_IT' },
  { kind: 'note', runId: 'r', message: 'half \u001b[31mway' },
  { kind: 'step-ended', runId: 'r', step: 1, of: 1, action: 'A_DO_IT', durationMs: 1234 },
  {
    kind: 'run-ended',
    runId: 'r',
    name: 'P_X',
    status: 'completed',
    durationMs: 2,
    spend: NO_SPEND,
  },
]

const show = (options: { quiet?: boolean; verbose?: boolean; flow?: boolean }) => {
  const err = memorySink()
  const view = createProgressView(err, { quiet: false, verbose: false, now: () => 0, ...options })
  for (const progress of run) view.onProgress(progress)
  view.close()
  return err.text()
}

describe('createProgressView', () => {
  it('prints a line a step with its time, and notes that cannot command a terminal', () => {
    expect(show({})).toBe('[pipeline] half \uFFFD[31mway\n[pipeline] A_DO_IT 1.2 s\n')
  })

  it('shows a flow by its notes alone', () => {
    expect(show({ flow: true })).toBe('[pipeline] half \uFFFD[31mway\n')
  })

  it('shows more with --verbose, and nothing with --quiet', () => {
    expect(show({ verbose: true })).toContain('[pipeline] P_X completed in 2 ms: run r\n')
    expect(show({ quiet: true })).toBe('')
  })

  it('turns on a terminal after two seconds, and leaves no trace', () => {
    const err = memorySink(true)
    let now = 0
    let tick: () => void = () => undefined
    let stopped = false
    const every = (_: number, call: () => void) => {
      tick = call
      return () => {
        stopped = true
      }
    }
    const view = createProgressView(err, {
      quiet: false,
      verbose: false,
      now: () => now,
      timers: { every },
    })
    view.onProgress({ kind: 'step-started', runId: 'r', step: 1, of: 1, action: 'A_DO_IT' })
    now = 1999
    tick()
    expect(err.text()).toBe('')
    now = 3000
    tick()
    expect(err.text()).toContain('A_DO_IT 3.0 s')
    view.close()
    expect(err.text().endsWith('\r\u001b[K')).toBe(true)
    expect(stopped).toBe(true)
  })
})
