import { verifySecurityLog } from '@steward/platform'
import { Command } from 'commander'
import { EXIT } from '../../errors/exit-codes.ts'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { printJson } from '../../output/print-json.ts'
import { openSecurity } from './open-security.ts'

export const createSecurityVerifyCommand = (io: Io): Command =>
  new Command('verify')
    .description('Checks that the security log is as it was written; ends with 1 when it is not.')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: true }) => {
      const { home } = await openSecurity(io)
      const check = await verifySecurityLog(home)
      if (!check.ok) io.exitCode = EXIT.failed
      if (json) return printJson(io.out, check)
      const { rows, torn, firstBroken } = check
      const { paint } = io.out
      const cut = torn === 0 ? '' : `; ${torn} writes were cut short`
      if (firstBroken === undefined) {
        io.out.write(`${paint.green('as it was written')}: ${rows} rows${cut}\n`)
        return
      }
      const { file, line, why } = firstBroken
      const where = line > 0 ? `${file}, line ${line}` : file
      io.out.write(
        `${paint.red('not as it was written')}: ${cleanText(where)}: ${cleanText(why)}\n`,
      )
    })
