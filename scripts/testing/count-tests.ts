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
  unfinished: readonly NamedTest[]
  skipped: readonly NamedTest[]
}

/** A run without a report crashed, and counts as one failure. */
export const NO_REPORT: Counts = { passed: 0, failed: 1, unfinished: [], skipped: [] }

/**
 * Counts a vitest JSON report. A file that failed outside its tests counts as one failure, and a test
 * that did not finish counts as failed.
 */
export const countTests = (json: unknown, root: string): Counts => {
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
  return {
    passed: numPassedTests,
    failed: failed + unfinished.length,
    unfinished,
    skipped: inState(SKIPPED),
  }
}

/** The last lines of a run: every unfinished and every skipped test by name, then the counts. */
export const sayCounts = ({ passed, failed, unfinished, skipped }: Counts): string =>
  [
    ...unfinished.map(({ file, name }) => `did not finish: ${file}: ${name}`),
    ...skipped.map(({ file, name }) => `skipped: ${file}: ${name}`),
    `\n${passed} passed, ${failed} failed, ${skipped.length} skipped`,
  ].join('\n')
