import { describe, expect, it } from 'vitest'
import { countTests, NO_REPORT, sayCounts } from './count-tests.ts'

const file = (status: string, ...assertions: string[]) => ({
  name: '/repository/a.test.ts',
  status,
  assertionResults: assertions.map((each) => ({ fullName: `test that ${each}`, status: each })),
})

describe('countTests', () => {
  it('counts failed tests, and a file that could not be loaded as one', () => {
    const testResults = [
      file('passed', 'passed', 'passed'),
      file('failed', 'failed', 'passed', 'failed'),
      file('failed'),
    ]
    expect(countTests({ numPassedTests: 3, testResults }, '/repository', false)).toEqual({
      passed: 3,
      failed: 3,
      failedOutside: false,
      unfinished: [],
      skipped: [],
    })
  })

  it('counts a test as failed that did not finish because its process ended', () => {
    const testResults = [file('passed', 'passed', 'pending')]
    expect(countTests({ numPassedTests: 1, testResults }, '/repository', false)).toEqual({
      passed: 1,
      failed: 1,
      failedOutside: false,
      unfinished: [{ file: 'a.test.ts', name: 'test that pending' }],
      skipped: [],
    })
  })

  it('counts an unhandled error as one failure where no test failed', () => {
    const testResults = [file('passed', 'passed')]
    const counts = countTests({ numPassedTests: 1, testResults }, '/repository', false)
    expect(counts).toMatchObject({ passed: 1, failed: 1, failedOutside: true })
    expect(sayCounts(counts)).toBe(
      'failed outside the tests: see "Unhandled Errors" above\n\n1 passed, 1 failed, 0 skipped',
    )
  })

  it('names tests that did not run, whatever vitest calls their state', () => {
    const testResults = [file('passed', 'passed', 'skipped', 'disabled', 'todo')]
    const { passed, skipped } = countTests({ numPassedTests: 1, testResults }, '/repository', true)
    expect(passed).toBe(1)
    expect(skipped).toEqual([
      { file: 'a.test.ts', name: 'test that skipped' },
      { file: 'a.test.ts', name: 'test that disabled' },
      { file: 'a.test.ts', name: 'test that todo' },
    ])
  })

  it('rejects anything that is not a report', () => {
    expect(() => countTests({}, '/repository', true)).toThrow()
  })
})

describe('sayCounts', () => {
  it('ends with the three counts, after the names of skipped tests', () => {
    const skipped = [{ file: 'a.test.ts', name: 'in a browser' }]
    expect(sayCounts({ passed: 2, failed: 0, failedOutside: false, unfinished: [], skipped })).toBe(
      'skipped: a.test.ts: in a browser\n\n2 passed, 0 failed, 1 skipped',
    )
    const unfinished = [{ file: 'b.test.ts', name: 'on workerd' }]
    expect(sayCounts({ passed: 2, failed: 1, failedOutside: false, unfinished, skipped: [] })).toBe(
      'did not finish: b.test.ts: on workerd\n\n2 passed, 1 failed, 0 skipped',
    )
    expect(sayCounts(NO_REPORT)).toBe('\n0 passed, 1 failed, 0 skipped')
  })
})
