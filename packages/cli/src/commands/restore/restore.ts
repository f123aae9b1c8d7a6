import { resolve } from 'node:path'
import {
  planRestore,
  type Restored,
  type RestoreOptions,
  type RestorePlan,
  resolveHome,
  restoreBackup,
} from '@steward/platform'
import { Command } from 'commander'
import { EXIT } from '../../errors/exit-codes.ts'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { printJson } from '../../output/print-json.ts'
import { COMMAND } from '../../setup/command-name.ts'

const HELP = `
The whole backup is checked before anything is changed. Databases of an older Steward are migrated;
those of a newer one are refused. Stop the daemon first.

Examples:
  steward restore steward-backup-2026-11-16T07-50-00.tar.gz --dry-run
  steward restore steward-backup-2026-11-16T07-50-00.tar.gz
  STEWARD_HOME=/tmp/look steward restore FILE       look at a backup without touching your data

Exits 4 if the restore is refused; nothing has changed then.
`

interface RestoreFlags {
  dryRun?: true
  replace?: true
  json?: true
}

export const createRestoreCommand = (io: Io): Command =>
  new Command('restore')
    .description('Restore the data home from a backup')
    .argument('<file>', 'a backup')
    .option('--dry-run', 'check the backup and show what would change')
    .option('--replace', 'move existing data aside')
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action(async (file: string, flags: RestoreFlags) => {
      const { STORES } = await import('@steward/daemon/stores')
      const home = resolveHome(io.env, io.homedir)
      const options: RestoreOptions = {
        home,
        file: resolve(io.cwd, file),
        stores: STORES,
        replace: flags.replace === true,
        now: () => new Date(io.now()),
      }
      if (flags.dryRun) {
        const plan = await planRestore(options)
        if (flags.json) printJson(io.out, describe(plan))
        else io.out.write(renderPlan(plan, home.root))
        io.exitCode = plan.refusals.length === 0 ? EXIT.success : EXIT.conflict
        return
      }
      const restored = await restoreBackup(options)
      const { aside, keptSecrets } = restored
      if (flags.json) printJson(io.out, { ...describe(restored), aside, keptSecrets })
      else io.out.write(renderRestored(restored, home.root))
    })

const describe = ({ manifest, replaced, migrated, refusals }: RestorePlan) => ({
  createdAt: manifest.createdAt,
  steward: manifest.steward,
  from: manifest.home,
  secrets: manifest.secrets,
  files: manifest.files.length,
  damaged: damagedIn(manifest),
  replaced,
  migrated,
  refusals,
})

const damagedIn = ({ files }: RestorePlan['manifest']): string[] =>
  files.flatMap(({ path, damaged }) => (damaged === undefined ? [] : [path]))

const renderPlan = (plan: RestorePlan, root: string): string => {
  const { manifest, replaced, migrated, refusals } = plan
  return join([
    `The backup is complete: ${manifest.files.length} files of ${manifest.home}, ${manifest.createdAt}, by Steward ${manifest.steward}.`,
    `  would be written to ${root}`,
    ...(replaced.length === 0 ? [] : [`  would be moved aside: ${replaced.join(', ')}`]),
    ...migrated.map(({ path, from, to }) => `  would be updated: ${path}, schema ${from} to ${to}`),
    ...warnings(plan),
    ...refusals.map((refusal) => `  refused: ${refusal}`),
    refusals.length === 0
      ? 'Nothing was changed.'
      : 'The restore would be refused. Nothing was changed.',
  ])
}

const renderRestored = (restored: Restored, root: string): string => {
  const { manifest, migrated, aside, keptSecrets } = restored
  return join([
    `Restored ${manifest.files.length} files to ${root}, as of ${manifest.createdAt}.`,
    ...migrated.map(({ path, from, to }) => `  updated: ${path}, schema ${from} to ${to}`),
    ...(aside === null ? [] : [`  the previous data is in ${aside}; remove it when you are sure`]),
    ...(keptSecrets.length === 0 ? [] : [`  stayed as they were: ${keptSecrets.join(', ')}`]),
    ...warnings(restored),
    `Check it with: ${COMMAND} doctor`,
  ])
}

const warnings = ({ manifest }: RestorePlan): string[] => [
  ...(manifest.secrets ? [] : ['  the backup contains no keys and tokens']),
  ...damagedIn(manifest).map((path) => `  ${path} was already damaged: run ${COMMAND} repair`),
]

const join = (lines: readonly string[]): string => `${lines.map(cleanText).join('\n')}\n`
