import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { z } from 'zod'

const PROGRAM = fileURLToPath(new URL('../../../../../node_modules/.bin/ccusage', import.meta.url))

const report = z.object({
  totals: z.object({
    inputTokens: z.number(),
    outputTokens: z.number(),
    cacheReadTokens: z.number(),
    cacheCreationTokens: z.number(),
    totalTokens: z.number(),
  }),
})

/** The totals that the pinned ccusage counts for one assistant in a home folder. */
export const askCcusage = async (assistant: string, homedir: string) => {
  const { stdout } = await promisify(execFile)(
    PROGRAM,
    [assistant, 'session', '--json', '--offline'],
    { env: { PATH: process.env.PATH, HOME: homedir } },
  )
  return report.parse(JSON.parse(stdout)).totals
}
