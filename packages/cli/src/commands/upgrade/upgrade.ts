import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { PLATFORM_VERSION, StewardError } from '@steward/contract'
import {
  type AskedHealth,
  askHealth,
  createCommands,
  placeOf,
  requireSuccess,
} from '@steward/daemon/service'
import { expandTilde, findDaemon, resolveHome } from '@steward/platform'
import { Command } from 'commander'
import { askConsent } from '../../input/ask-consent.ts'
import type { Io } from '../../io.ts'
import { printJson } from '../../output/print-json.ts'
import { findInstallation } from './find-installation.ts'
import { compareVersions, readPackageVersion } from './package-version.ts'

interface UpgradeFlags {
  check?: true
  force?: true
  yes?: true
  json?: true
}

const HELP = `
The package is a file that \`npm run pack\` made, or a package of the registry. Your data home is not
touched: databases are migrated when the new version opens them, and an older version refuses those
of a newer one. If the daemon runs, it is restarted.

Examples:
  steward upgrade ./steward-5.1.0.tgz           install this file
  steward upgrade steward@latest --check        compare versions; install nothing
  steward upgrade ./steward-5.0.0.tgz --force   return to an older version
`

export const createUpgradeCommand = (io: Io): Command =>
  new Command('upgrade')
    .description('Install another version of Steward')
    .argument('<package>', 'a package file, or name@version of the registry')
    .option('--check', 'compare the versions; install nothing')
    .option('--force', 'also install an older or the same version')
    .option('--yes', 'do not ask')
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action((given: string, flags: UpgradeFlags) => upgrade(io, given, flags))

const upgrade = async (io: Io, given: string, flags: UpgradeFlags): Promise<void> => {
  const file = resolve(io.cwd, expandTilde(given, io.homedir))
  const isPath = /^[./~]|\.tgz$/.test(given) && !URL.canParse(given)
  if (isPath && !existsSync(file)) {
    throw new StewardError('package_unusable', { package: given, reason: 'there is no such file' })
  }
  const { launcher, node } = placeOf(process)
  const place = findInstallation(launcher)
  const { run } = createCommands(io)
  const must = (argv: readonly string[]) => requireSuccess(run, argv)
  const wanted = existsSync(file) ? { file } : { spec: given }
  const to = await readPackageVersion(wanted, must)
  const order = compareVersions(to, PLATFORM_VERSION)
  const state = { from: PLATFORM_VERSION, to, newer: order > 0 }
  const tell = (text: string, done: object) =>
    flags.json ? printJson(io.out, { ...state, ...done }) : io.out.write(`${text}\n`)
  if (flags.check) return tell(describeOrder(order, to), { installed: false })
  if (order === 0 && !flags.force) return tell(`${to} is already installed`, { installed: false })
  if (order < 0 && !flags.force) {
    const reason = `${to} is older than ${PLATFORM_VERSION}; --force installs it`
    throw new StewardError('package_unusable', { package: given, reason })
  }
  const question = `Install Steward ${to} in place of ${PLATFORM_VERSION}?`
  if (flags.yes !== true && !(await askConsent(io, question))) {
    io.exitCode = 1
    return
  }
  const home = resolveHome(io.env, io.homedir)
  const isRunning = (await findDaemon(home)) !== undefined
  const source = 'file' in wanted ? file : given
  const options = ['--no-audit', '--no-fund', '--prefix', place.prefix]
  await must(['npm', 'install', ...(place.isGlobal ? ['--global'] : []), ...options, source])
  const program = [node, join(place.root, 'bin/steward.mjs')]
  await must([...program, '--version'])
  if (isRunning) await must([...program, 'service', 'restart'])
  const text = isRunning ? describeDaemon(await askHealth(home)) : 'the daemon does not run'
  tell(`installed ${to}; ${text}`, { installed: true, restarted: isRunning })
}

const describeOrder = (order: number, to: string): string => {
  if (order === 0) return `${to} is installed`
  return `${to} is ${order > 0 ? 'newer' : 'older'} than the installed ${PLATFORM_VERSION}`
}

const describeDaemon = (asked: AskedHealth): string =>
  'health' in asked ? `the daemon was restarted as ${asked.health.version}` : asked.reason
