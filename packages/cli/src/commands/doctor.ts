import { reasonOf } from '@steward/contract'
import { Command } from 'commander'
import { askKey } from '../doctor/ask-key.ts'
import { examine } from '../doctor/examine.ts'
import type { Finding } from '../doctor/finding.ts'
import { EXIT } from '../errors/exit-codes.ts'
import { isTerminalInput } from '../input/prompt-hidden.ts'
import type { Io } from '../io.ts'
import { cleanText } from '../output/clean-text.ts'
import { printJson } from '../output/print-json.ts'

interface DoctorFlags {
  fix?: true
  json?: true
}

export const createDoctorCommand = (io: Io): Command =>
  new Command('doctor')
    .description(
      'Checks the installation, the data home, the model, past runs, and the hooks of your assistants.',
    )
    .option('--fix', 'repair what can be repaired without asking')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nOn a terminal it offers each repair: one key, y or n.\nEnds with 0 when nothing failed; warnings do not count.\n',
    )
    .action(async (flags: DoctorFlags) => {
      const found = await examine(io, process.version)
      const findings = flags.fix ? await repairAll(io, found) : found
      if (flags.json)
        printJson(io.out, { healthy: isHealthy(findings), checks: findings.map(told) })
      else io.out.write(render(findings, io))
      const last = flags.fix || flags.json ? findings : await offerRepairs(io, findings)
      io.exitCode = isHealthy(last) ? EXIT.success : EXIT.failed
    })

const isHealthy = (findings: readonly Finding[]): boolean =>
  findings.every(({ status }) => status !== 'fail')

/** Tries every repair that needs nobody's consent, then looks again. */
const repairAll = async (io: Io, findings: readonly Finding[]): Promise<Finding[]> => {
  for (const finding of findings) {
    if (finding.status !== 'ok' && finding.asksFirst === undefined) await repair(io, finding)
  }
  return examine(io, process.version)
}

/** Asks for each repair, where somebody is there to answer; shows what is left when one was made. */
const offerRepairs = async (io: Io, findings: readonly Finding[]): Promise<readonly Finding[]> => {
  if (!io.out.isTerminal || !isTerminalInput(io.stdin)) return findings
  let changed = false
  for (const finding of findings) {
    if (finding.status === 'ok' || finding.fix === undefined) continue
    const question = `${finding.check}: ${cleanText(finding.message)}. Repair it?`
    if (!(await askKey(io.stdin, io.err, question))) continue
    await repair(io, finding)
    changed = true
  }
  if (!changed) return findings
  const left = await examine(io, process.version)
  io.out.write(render(left, io))
  return left
}

const repair = async (io: Io, { check, fix }: Finding): Promise<void> => {
  if (fix === undefined) return
  const done = await fix().catch((thrown: unknown) => `could not repair: ${reasonOf(thrown)}`)
  io.err.write(`${check}: ${cleanText(done)}\n`)
}

const told = ({ fix, details, change, ...rest }: Finding) => ({
  ...rest,
  fixable: fix !== undefined,
})

const render = (findings: readonly Finding[], io: Io): string =>
  findings.map((finding) => renderOne(finding, io)).join('')

const INDENT = ' '.repeat(24)

const renderOne = (finding: Finding, io: Io): string => {
  const { check, status, message, details = [], repair: advice } = finding
  const { paint } = io.out
  const colour = { ok: paint.green, warn: paint.yellow, fail: paint.red }[status]
  const below = [...details, ...(advice === undefined || status === 'ok' ? [] : [advice])]
  return [
    `${colour(status.padEnd(4))}  ${check.padEnd(16)}  ${cleanText(message)}\n`,
    ...below.map((line) => `${INDENT}${cleanText(line)}\n`),
  ].join('')
}
