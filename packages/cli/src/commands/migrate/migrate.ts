import { resolve } from 'node:path'
import { StewardError, unwrap } from '@steward/contract'
import { type Migrated, type MoveItem, migrate, undoMigration } from '@steward/daemon/migrate'
import { archiveAt, loadArchive } from '@steward/knowledge'
import { ensureHome, expandTilde, resolveHome } from '@steward/platform'
import { Command } from 'commander'
import { askConsent } from '../../input/ask-consent.ts'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { printJson } from '../../output/print-json.ts'
import { createProgressBar } from '../../output/progress-bar.ts'
import { formatTable } from '../../output/table.ts'
import { COMMAND } from '../../setup/command-name.ts'

interface MigrateFlags {
  dryRun?: true
  undo?: true
  yes?: true
  json?: true
}

const HELP = `
Takes over settings, keys, the assistant with its opinions and diary, notes with typed links, the
security policy, ratings, work state and history. The old installation is only read. Files of the
data home are never overwritten without a backup, and the last move can be undone.

Examples:
  steward migrate ~/.claude --dry-run       list every item and what happens to it
  steward migrate ~/.claude
  steward migrate --undo
`

export const createMigrateCommand = (io: Io): Command =>
  new Command('migrate')
    .description('Move from LifeOS or PAI to Steward')
    .argument('[folder]', '~/.claude, or the folder that contains MEMORY and USER')
    .option('--dry-run', 'show what would happen; write nothing')
    .option('--undo', 'undo the last move')
    .option('--yes', 'do not ask')
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action((folder: string | undefined, flags: MigrateFlags) =>
      flags.undo === true ? undo(io, flags) : move(io, folder, flags),
    )

const move = async (io: Io, given: string | undefined, flags: MigrateFlags): Promise<void> => {
  if (given === undefined) {
    const reason = `name it: ${COMMAND} migrate ~/.claude --dry-run`
    throw new StewardError('invalid_input', { subject: 'the folder', reason, field: 'folder' })
  }
  const folder = resolve(io.cwd, expandTilde(given, io.homedir))
  const run = async (dryRun: boolean): Promise<Migrated> => {
    const home = unwrap(await ensureHome(resolveHome(io.env, io.homedir)))
    const loaded = loadArchive(archiveAt(home).root)
    const bar = createProgressBar(io.err, 'moving')
    const ports = { home, loaded, now: () => new Date(io.now()), onProgress: bar.show }
    return migrate(ports, folder, { dryRun }).finally(bar.clear)
  }
  const isDry = flags.dryRun === true
  if (!isDry && flags.yes !== true) {
    print(io, await run(true), true)
    if (!(await askConsent(io, 'Move these?'))) return
  }
  const moved = await run(isDry)
  if (flags.json) return printJson(io.out, { ...moved, dryRun: isDry })
  if (isDry || flags.yes === true) print(io, moved, isDry)
  if (isDry) io.out.write('Nothing was written.\n')
  else
    io.out.write(`Moved. Check the result: ${COMMAND} doctor. Undo it: ${COMMAND} migrate --undo\n`)
}

const WORDS: Readonly<Record<MoveItem['outcome'], string>> = {
  taken: 'copied',
  converted: 'converted',
  merged: 'merged',
  same: 'already here',
  kept: 'yours kept',
  left: 'not taken',
}

/** Items of a part beyond this are counted; `--json` lists all. */
const SHOWN = 40

const print = (io: Io, { source, items }: Migrated, isDry: boolean): void => {
  io.out.write(`${isDry ? 'Would move' : 'Moved'} from ${cleanText(source)}\n`)
  for (const [part, own] of Map.groupBy(items, (item) => item.part)) {
    io.out.write(`\n${io.out.paint.bold(part)} (${own.length})\n`)
    const rows = own
      .slice(0, SHOWN)
      .map(({ from, to, outcome, note = '' }) => [
        `  ${WORDS[outcome]}`,
        cleanText(to === undefined || to === from ? from : `${from} → ${to}`),
        cleanText(note),
      ])
    io.out.write(formatTable(rows))
    if (own.length > SHOWN) io.out.write(`  and ${own.length - SHOWN} more (--json)\n`)
  }
  io.out.write('\n')
}

const undo = async (io: Io, { json }: MigrateFlags): Promise<void> => {
  const undone = await undoMigration(resolveHome(io.env, io.homedir))
  if (json) return printJson(io.out, undone)
  io.out.write(`removed ${undone.removed.length} files, restored ${undone.restored.length}\n`)
  for (const path of undone.kept) io.out.write(`kept ${cleanText(path)}: changed since the move\n`)
}
