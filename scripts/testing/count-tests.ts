import { z } from 'zod'

const report = z.object({
  numPassedTests: z.int(),
  testResults: z.array(
    z.object({
      status: z.string(),
      assertionResults: z.array(z.object({ status: z.string() })),
    }),
  ),
})

export interface Counts {
  passed: number
  failed: number
}

/** Nothing was reported: the run itself broke, and that is a failure. */
export const NO_REPORT: Counts = { passed: 0, failed: 1 }

/** Counts a vitest JSON report. A file that broke outside of its tests counts as one failure. */
export const countTests = (json: unknown): Counts => {
  const { numPassedTests, testResults } = report.parse(json)
  const failed = testResults.reduce((sum, file) => {
    const inFile = file.assertionResults.filter(({ status }) => status === 'failed').length
    return sum + (file.status === 'failed' ? Math.max(1, inFile) : inFile)
  }, 0)
  return { passed: numPassedTests, failed }
}
