import type { Finding } from '@steward/assistants'
import { runChecks } from '@steward/daemon/doctor'
import { Command } from 'commander'
import { EXIT } from '../../errors/exit-codes.ts'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { printJson } from '../../output/print-json.ts'
import { COMMAND } from '../../setup/command-name.ts'
import { findInstallation } from '../../setup/installation.ts'
import { renderHooks } from '../hooks/render-hooks.ts'
import { offerRepairs, repair } from './offer-repairs.ts'

interface DoctorFlags {
  fix?: true
  json?: true
}

export const createDoctorCommand = (io: Io): Command =>
  new Command('doctor')
    .description('Check the installation and suggest repairs')
    .option('--fix', 'repair everything; ask first where consent is needed')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nOn a terminal it offers each repair: press y or n.\nExits 1 if a check failed; warnings do not count.\n',
    )
    .action(async (flags: DoctorFlags) => {
      const found = await checkAll(io)
      const findings = flags.fix ? await repairAll(io, found) : found
      if (flags.json)
        printJson(io.out, { healthy: isHealthy(findings), checks: findings.map(told) })
      else io.out.write(render(findings, io))
      io.exitCode = isHealthy(findings) ? EXIT.success : EXIT.failed
      if (flags.json || !(await offerRepairs(io, findings, { wasTried: flags.fix === true })))
        return
      const left = await checkAll(io)
      io.out.write(render(left, io))
      io.exitCode = isHealthy(left) ? EXIT.success : EXIT.failed
    })

const checkAll = ({ env, homedir }: Io): Promise<Finding[]> =>
  runChecks({
    env,
    homedir,
    command: COMMAND,
    library: findInstallation().library,
    nodeVersion: process.version,
  })

const isHealthy = (findings: readonly Finding[]): boolean =>
  findings.every(({ status }) => status !== 'fail')

/** Tries every repair that needs no consent, then checks again. */
const repairAll = async (io: Io, findings: readonly Finding[]): Promise<Finding[]> => {
  for (const finding of findings) {
    if (finding.status !== 'ok' && finding.asksFirst === undefined) await repair(io, finding)
  }
  return checkAll(io)
}

const told = ({ fix, change, ...rest }: Finding) => ({
  ...rest,
  fixable: fix !== undefined,
})

const render = (findings: readonly Finding[], io: Io): string =>
  findings.map((finding) => renderOne(finding, io)).join('')

const INDENT = ' '.repeat(24)

const renderOne = (finding: Finding, io: Io): string => {
  const { check, status, message, repair: advice, host } = finding
  const isRegistered = host?.hooks.some(({ registered }) => registered) === true
  const details = host !== undefined && isRegistered ? renderHooks(host.hooks) : []
  const { paint } = io.out
  const colour = { ok: paint.green, warn: paint.yellow, fail: paint.red }[status]
  const below = [...details, ...(advice === undefined || status === 'ok' ? [] : [advice])]
  return [
    `${colour(status.padEnd(4))}  ${check.padEnd(16)}  ${cleanText(message)}\n`,
    ...below.map((line) => `${INDENT}${cleanText(line)}\n`),
  ].join('')
}
