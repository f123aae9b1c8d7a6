import { relative } from 'node:path'
import { z } from 'zod'

const report = z.object({
  numPassedTests: z.int(),
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      assertionResults: z.array(z.object({ fullName: z.string(), status: z.string() })),
    }),
  ),
})

/** The states in which vitest reports a test that was left out on purpose. */
const SKIPPED = new Set(['skipped', 'disabled', 'todo'])
/** The state of a test whose process ended before it did. */
const UNFINISHED = new Set(['pending'])

interface NamedTest {
  file: string
  name: string
}

export interface Counts {
  passed: number
  failed: number
  /** Whether the run failed although no test and no file did, because of an unhandled error. */
  failedOutside: boolean
  unfinished: readonly NamedTest[]
  skipped: readonly NamedTest[]
}

/** A run without a report crashed, and counts as one failure. */
export const NO_REPORT: Counts = {
  passed: 0,
  failed: 1,
  failedOutside: false,
  unfinished: [],
  skipped: [],
}

/**
 * Counts a vitest JSON report. A file that failed outside its tests counts as one failure, and a test
 * that did not finish counts as failed. An unhandled error, which no test reports, counts as one.
 */
export const countTests = (json: unknown, root: string, hasSucceeded: boolean): Counts => {
  const { numPassedTests, testResults } = report.parse(json)
  const failed = testResults.reduce((sum, file) => {
    const inFile = file.assertionResults.filter(({ status }) => status === 'failed').length
    return sum + (file.status === 'failed' ? Math.max(1, inFile) : inFile)
  }, 0)
  const inState = (states: ReadonlySet<string>): NamedTest[] =>
    testResults.flatMap((file) =>
      file.assertionResults
        .filter(({ status }) => states.has(status))
        .map(({ fullName }) => ({ file: relative(root, file.name), name: fullName })),
    )
  const unfinished = inState(UNFINISHED)
  const failedTests = failed + unfinished.length
  const failedOutside = failedTests === 0 && !hasSucceeded
  return {
    passed: numPassedTests,
    failed: failedOutside ? 1 : failedTests,
    failedOutside,
    unfinished,
    skipped: inState(SKIPPED),
  }
}

/** The last lines of a run: unfinished and skipped tests by name, and the counts. */
export const sayCounts = ({ passed, failed, failedOutside, unfinished, skipped }: Counts): string =>
  [
    ...(failedOutside ? ['failed outside the tests: see "Unhandled Errors" above'] : []),
    ...unfinished.map(({ file, name }) => `did not finish: ${file}: ${name}`),
    ...skipped.map(({ file, name }) => `skipped: ${file}: ${name}`),
    `\n${passed} passed, ${failed} failed, ${skipped.length} skipped`,
  ].join('\n')
