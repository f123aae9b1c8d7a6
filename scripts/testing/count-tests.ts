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

/** The states in which vitest reports a test that it did not run. */
const SKIPPED = new Set(['skipped', 'pending', 'disabled', 'todo'])

interface SkippedTest {
  file: string
  name: string
}

export interface Counts {
  passed: number
  failed: number
  skipped: readonly SkippedTest[]
}

/** A run without a report crashed, and counts as one failure. */
export const NO_REPORT: Counts = { passed: 0, failed: 1, skipped: [] }

/** Counts a vitest JSON report. A file that failed outside its tests counts as one failure. */
export const countTests = (json: unknown, root: string): Counts => {
  const { numPassedTests, testResults } = report.parse(json)
  const failed = testResults.reduce((sum, file) => {
    const inFile = file.assertionResults.filter(({ status }) => status === 'failed').length
    return sum + (file.status === 'failed' ? Math.max(1, inFile) : inFile)
  }, 0)
  const skipped = testResults.flatMap((file) =>
    file.assertionResults
      .filter(({ status }) => SKIPPED.has(status))
      .map(({ fullName }) => ({ file: relative(root, file.name), name: fullName })),
  )
  return { passed: numPassedTests, failed, skipped }
}

/** The last lines of a run: every skipped test by name, then the counts. */
export const sayCounts = ({ passed, failed, skipped }: Counts): string =>
  [
    ...skipped.map(({ file, name }) => `skipped: ${file}: ${name}`),
    `\n${passed} passed, ${failed} failed, ${skipped.length} skipped`,
  ].join('\n')
