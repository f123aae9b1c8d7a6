import { reasonOf } from '@steward/contract'
import { Command } from 'commander'
import { examine } from '../doctor/examine.ts'
import type { Finding } from '../doctor/finding.ts'
import { EXIT } from '../errors/exit-codes.ts'
import type { Io } from '../io.ts'
import { cleanText } from '../output/clean-text.ts'
import { printJson } from '../output/print-json.ts'

interface DoctorFlags {
  fix?: true
  json?: true
}

export const createDoctorCommand = (io: Io): Command =>
  new Command('doctor')
    .description('Checks the installation, the data home, the model, the sandbox and past runs.')
    .option('--fix', 'repair what can be repaired')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nEnds with 0 when nothing failed; warnings do not count.\n')
    .action(async (flags: DoctorFlags) => {
      const found = await examine(io, process.version)
      const findings = flags.fix ? await repair(io, found) : found
      const healthy = findings.every(({ status }) => status !== 'fail')
      if (flags.json) printJson(io.out, { healthy, checks: findings.map(withoutFix) })
      else io.out.write(findings.map((finding) => render(finding, io)).join(''))
      io.exitCode = healthy ? EXIT.success : EXIT.failed
    })

/** Tries every repair there is, then looks again. */
const repair = async (io: Io, findings: readonly Finding[]): Promise<Finding[]> => {
  for (const { check, status, fix } of findings) {
    if (status === 'ok' || fix === undefined) continue
    const done = await fix().catch((thrown: unknown) => `could not repair: ${reasonOf(thrown)}`)
    io.err.write(`${check}: ${cleanText(done)}\n`)
  }
  return examine(io, process.version)
}

const withoutFix = ({ fix, ...rest }: Finding) => ({ ...rest, fixable: fix !== undefined })

const render = ({ check, status, message, repair: advice }: Finding, io: Io): string => {
  const { paint } = io.out
  const colour = { ok: paint.green, warn: paint.yellow, fail: paint.red }[status]
  const line = `${colour(status.padEnd(4))}  ${check.padEnd(16)}  ${cleanText(message)}\n`
  return advice === undefined || status === 'ok'
    ? line
    : `${line}      ${' '.repeat(18)}${cleanText(advice)}\n`
}
