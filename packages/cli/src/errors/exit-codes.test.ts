import { describe, expect, it } from 'vitest'
import { exitCodeOf, exitCodeOfRun } from './exit-codes.ts'

describe('exit codes', () => {
  it('distinguish what a script would act on', () => {
    expect(exitCodeOf('invalid_json')).toBe(2)
    expect(exitCodeOf('not_found')).toBe(3)
    expect(exitCodeOf('run_active')).toBe(4)
    expect(exitCodeOf('not_configured')).toBe(5)
    expect(exitCodeOf('hosted_isolation_missing')).toBe(5)
    expect(exitCodeOf('bucket_refused')).toBe(5)
    expect(exitCodeOf('internal')).toBe(1)
  })

  it('call a run failed unless its first step refused the input', () => {
    expect(exitCodeOfRun('invalid_input', 1)).toBe(2)
    expect(exitCodeOfRun('invalid_input', 2)).toBe(1)
    expect(exitCodeOfRun('not_configured', 1)).toBe(1)
  })
})
