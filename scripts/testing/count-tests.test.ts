import { describe, expect, it } from 'vitest'
import { countTests } from './count-tests.ts'

const file = (status: string, ...assertions: string[]) => ({
  status,
  assertionResults: assertions.map((assertion) => ({ status: assertion })),
})

describe('countTests', () => {
  it('counts failed tests, and a file that could not be loaded as one', () => {
    const testResults = [
      file('passed', 'passed', 'passed'),
      file('failed', 'failed', 'passed', 'failed'),
      file('failed'),
    ]
    expect(countTests({ numPassedTests: 3, testResults })).toEqual({ passed: 3, failed: 3 })
  })

  it('refuses what is no report', () => {
    expect(() => countTests({})).toThrow()
  })
})
