import { type RepairFinding, repairHome, resolveHome } from '@steward/platform'
import { Command } from 'commander'
import { EXIT } from '../../errors/exit-codes.ts'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { printJson } from '../../output/print-json.ts'
import { COMMAND } from '../../setup/command-name.ts'

const HELP = `
Every database is checked page by page, every log line by line. All readable rows of a damaged database
are copied into a new one; the damaged file is kept beside it. Indexes are removed and rebuilt.
Stop the daemon first, and back up the remaining data: steward backup FOLDER

Exits 1 if data was lost or something could not be repaired.
`

interface RepairFlags {
  check?: true
  json?: true
}

export const createRepairCommand = (io: Io): Command =>
  new Command('repair')
    .description('Recover damaged databases and logs')
    .option('--check', 'only report; works while the daemon runs')
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action(async (flags: RepairFlags) => {
      const { STORES } = await import('@steward/daemon/stores')
      const findings = await repairHome({
        home: resolveHome(io.env, io.homedir),
        stores: STORES,
        checkOnly: flags.check === true,
        now: () => new Date(io.now()),
      })
      if (flags.json) printJson(io.out, { findings })
      else io.out.write(render(findings))
      io.exitCode = findings.every(isWhole) ? EXIT.success : EXIT.failed
    })

/** Nothing is missing: it was whole, or is an index that is made again. */
const isWhole = ({ state }: RepairFinding): boolean => state === 'ok' || state === 'removed'

const render = (findings: readonly RepairFinding[]): string => {
  const sound = findings.filter(({ state }) => state === 'ok').length
  const lines = findings.filter(({ state }) => state !== 'ok').flatMap(renderOne)
  const closing =
    sound === findings.length
      ? `All databases and logs are undamaged: ${sound} checked.`
      : `${sound} of ${findings.length} databases and logs are undamaged.`
  return `${[...lines, closing].map(cleanText).join('\n')}\n`
}

const renderOne = ({ path, state, reason, kept, tables, problems }: RepairFinding): string[] => [
  `${path}: ${WORDS[state]}`,
  ...(reason === undefined ? [] : [`  ${reason}`]),
  ...(tables ?? []).map(
    ({ name, rows, lost }) =>
      `  ${name}: ${rows} rows recovered${lost === 0 ? '' : `, at least ${lost} lost`}`,
  ),
  ...(tables?.length === 0
    ? [`  no table could be read; restore a backup: ${COMMAND} restore FILE --replace`]
    : []),
  ...(problems ?? []).map((problem) => `  ${problem}`),
  ...(kept === undefined ? [] : [`  the damaged original is ${kept}`]),
]

const WORDS: Record<RepairFinding['state'], string> = {
  ok: 'undamaged',
  damaged: `damaged; ${COMMAND} repair recovers what can be read`,
  removed: 'damaged index, removed; it is made again at the next start',
  recovered: 'damaged; what could be read is in a new file',
  unreadable: 'cannot be examined or repaired',
}
