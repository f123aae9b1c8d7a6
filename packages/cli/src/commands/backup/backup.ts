import { resolve } from 'node:path'
import { type BackupManifest, backupInterval, StewardError, unwrap } from '@steward/contract'
import {
  type BackupOutcome,
  changeSettings,
  readSettings,
  resolveHome,
  runBackup,
} from '@steward/platform'
import { Command, Option } from 'commander'
import { EXIT } from '../../errors/exit-codes.ts'
import { reportError } from '../../errors/report-error.ts'
import { parseCount } from '../../input/option-values.ts'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { countOf } from '../../output/count-of.ts'
import { quoteWord } from '../../output/format.ts'
import { formatBytes } from '../../output/format-bytes.ts'
import { printJson } from '../../output/print-json.ts'
import { COMMAND } from '../../setup/command-name.ts'

const HELP = `
The daemon, runs and hooks can continue: all databases are copied as of one moment. The archive is
verified before it gets its name. It contains your keys unless you use --without-secrets, and only you
can read it.

Examples:
  steward backup ~/backups                          one file with the date in its name
  steward backup ~/backups --every day --keep 7     now, then daily by the daemon; keeps seven
  steward backup --every never                      stop scheduled backups

Exits 1 if the backup failed or contains damaged data.
`

interface BackupFlags {
  withoutSecrets?: true
  every?: 'never' | 'hour' | 'day' | 'week'
  keep?: number
  json?: true
}

export const createBackupCommand = (io: Io): Command =>
  new Command('backup')
    .description('Back up the data home to one file, also while in use')
    .argument('[target]', 'a folder, or a file that ends in .tar.gz (default: backup.folder)')
    .option('--without-secrets', 'leave out .env, the token, keys and sign-ins')
    .addOption(
      new Option('--every <interval>', 'let the daemon repeat it').choices(backupInterval.options),
    )
    .option('--keep <count>', 'remove older backups of this data home', parseCount)
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action((target: string | undefined, flags: BackupFlags) => backUp(io, target, flags))

const backUp = async (io: Io, target: string | undefined, flags: BackupFlags): Promise<void> => {
  const home = resolveHome(io.env, io.homedir)
  const { backup } = unwrap(await readSettings(home))
  const chosen = target ?? (flags.every === 'never' ? io.cwd : backup.folder)
  if (chosen === undefined) {
    const reason = 'name a folder or a file, or set backup.folder in settings.json'
    throw new StewardError('invalid_input', { subject: 'backup', reason })
  }
  const place = resolve(io.cwd, chosen)
  const secrets = flags.withoutSecrets === undefined
  if (flags.every === 'never') {
    await changeSettings(home, ['backup'], { every: 'never' })
    if (flags.json) printJson(io.out, { every: 'never' })
    else io.out.write('The daemon makes no more backups. Those that exist are kept.\n')
    return
  }
  if (flags.every !== undefined && /\.(?:tar\.gz|tgz)$/.test(place)) {
    const reason = '--every needs a folder, because each backup is a separate file'
    throw new StewardError('invalid_input', { subject: 'backup', reason })
  }
  const outcome = await runBackup({
    home,
    target: place,
    secrets,
    now: () => new Date(io.now()),
    ...(flags.keep === undefined ? {} : { keep: flags.keep }),
  })
  // Set after the first backup, or the daemon would make one at the same moment.
  if (flags.every !== undefined) {
    const { every, keep } = flags
    const changes = { folder: place, every, secrets, ...(keep === undefined ? {} : { keep }) }
    await changeSettings(home, ['backup'], changes)
  }
  if (flags.json) printJson(io.out, describe(outcome))
  else io.out.write(render(outcome, flags))
  if (outcome.problems.length === 0) return
  const { file, problems } = outcome
  reportError(io, new StewardError('backup_incomplete', { file, reason: problems.join('; ') }))
  io.exitCode = EXIT.failed
}

const describe = ({ file, bytes, manifest, removed, problems }: BackupOutcome) => ({
  file,
  bytes,
  createdAt: manifest.createdAt,
  secrets: manifest.secrets,
  ...countKinds(manifest),
  leftOut: manifest.leftOut,
  removed,
  problems,
})

const countKinds = ({ files }: BackupManifest) => {
  const count = (kind: string) => files.filter((file) => file.kind === kind).length
  return { databases: count('database'), logs: count('log'), files: count('file') }
}

const render = ({ file, bytes, manifest, removed }: BackupOutcome, flags: BackupFlags): string => {
  const { databases, logs, files } = countKinds(manifest)
  const content = manifest.files.reduce((sum, each) => sum + each.bytes, 0)
  const lines = [
    `${file}  ${formatBytes(bytes)}, verified`,
    `  ${countOf(databases, 'database')}, ${countOf(logs, 'log')}, ${countOf(files, 'file')} (${formatBytes(content)})`,
    ...manifest.files
      .filter(({ kind }) => kind === 'database')
      .map((each) => `    ${each.path}  ${formatBytes(each.bytes)}${schemaOf(each.schema)}`),
    manifest.secrets
      ? '  contains your keys and tokens; only you can read it'
      : '  contains no keys and tokens; keep .env and hosted/master.key by other means',
    ...manifest.leftOut
      .filter(({ reason }) => reason !== 'a secret')
      .map(({ path, reason }) => `  left out: ${path} (${reason})`),
    ...removed.map((path) => `  removed: ${path}`),
    ...(flags.every === undefined ? [] : [`  the daemon repeats it every ${flags.every}`]),
    `Restore it with: ${COMMAND} restore ${quoteWord(file)}`,
  ]
  return `${lines.map(cleanText).join('\n')}\n`
}

const schemaOf = (schema: number | undefined): string =>
  schema === undefined || schema === 0 ? '' : `, schema ${schema}`
