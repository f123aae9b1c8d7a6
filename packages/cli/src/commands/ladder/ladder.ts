import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { LADDER_STAGES, type LadderStage, unwrap } from '@steward/contract'
import {
  addLadderItem,
  ensureHome,
  findLadderEntry,
  LADDER_ORDER,
  type Ladder,
  type LadderEntry,
  parseLadderStage,
  promoteLadderItem,
  readLadder,
  readSettings,
  resolveHome,
  resolveLadderRoot,
} from '@steward/platform'
import { Command, InvalidArgumentError } from 'commander'
import { readBodyOption } from '../../input/read-body-option.ts'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import type { Paint } from '../../output/paint.ts'
import { printJson } from '../../output/print-json.ts'
import { formatTable } from '../../output/table.ts'
import { COMMAND } from '../../setup/command-name.ts'

const HELP = `
Examples:
  steward ladder                                        all six stages
  steward ladder add sources "A paper on retries"
  steward ladder add ideas "Back off by host" --from SR-001 --body @notes.md
  steward ladder promote ID-001                         create a hypothesis from it
  steward ladder show HY-001

Sources, ideas, hypotheses, experiments, algorithms, results: Markdown files in
MEMORY/LEARNING/LADDER of the data home, or where learning.ladder in settings.json says.
`

export const createLadderCommand = (io: Io): Command =>
  new Command('ladder')
    .description('Track improvements from finding to adoption')
    .addCommand(createLadderListCommand(io), { isDefault: true })
    .addCommand(createLadderAddCommand(io))
    .addCommand(createLadderPromoteCommand(io))
    .addCommand(createLadderShowCommand(io))
    .addHelpText('after', HELP)

interface AddFlags {
  from?: string
  body?: string
  json?: true
}

const createLadderAddCommand = (io: Io): Command =>
  new Command('add')
    .description('Add an item to a stage, with the next free id')
    .argument(
      '<stage>',
      'sources, ideas, hypotheses, experiments, algorithms, results',
      parseStageOption,
    )
    .argument('<title>', 'its title, in one line')
    .option('--from <id>', 'the item it is derived from')
    .option('--body <text>', 'Markdown; @file reads a file, - standard input')
    .option('--json', 'print JSON')
    .action(async (stage: LadderStage, title: string, { from, body, json }: AddFlags) => {
      const root = await openLadder(io)
      const more = { ...(from === undefined ? {} : { from }), ...(await readBodyOption(io, body)) }
      const added = await addLadderItem(root, { stage, title, ...more }, () => new Date(io.now()))
      if (json) printJson(io.out, added)
      else io.out.write(`${added.id} added: ${root}/${added.file}\n`)
    })

const createLadderShowCommand = (io: Io): Command =>
  new Command('show')
    .description('Show an item and the items promoted from it')
    .argument('<id>', 'such as SR-001')
    .option('--json', 'print JSON')
    .action(async (id: string, { json }: { json?: true }) => {
      const root = await openLadder(io)
      const ladder = await readLadder(root)
      const entry = findLadderEntry(ladder, id)
      const text = await readFile(join(root, entry.file), 'utf8')
      const led = ladder.entries.filter(({ from }) => from === entry.id).map((each) => each.id)
      if (json) {
        printJson(io.out, { ...entry, text, ledTo: led })
        return
      }
      io.out.write(`${cleanText(text).trimEnd()}\n`)
      if (led.length > 0) io.out.write(`\nled to: ${led.join(', ')}\n`)
    })

interface PromoteFlags {
  to?: LadderStage
  title?: string
  body?: string
  json?: true
}

const createLadderPromoteCommand = (io: Io): Command =>
  new Command('promote')
    .description('Promote an item to the next stage')
    .argument('<id>', 'such as SR-001')
    .option('--to <stage>', 'a later stage than the next', parseStageOption)
    .option('--title <title>', 'title of the new item (default: the old one’s)')
    .option('--body <text>', 'Markdown; @file reads a file, - standard input')
    .option('--json', 'print JSON')
    .action(async (id: string, { to, title, body, json }: PromoteFlags) => {
      const root = await openLadder(io)
      const { from, made } = await promoteLadderItem(
        root,
        {
          id,
          ...(to === undefined ? {} : { to }),
          ...(title === undefined ? {} : { title }),
          ...(await readBodyOption(io, body)),
        },
        () => new Date(io.now()),
      )
      if (json) printJson(io.out, made)
      else io.out.write(`${from.id} promoted to ${made.id}: ${root}/${made.file}\n`)
    })

const createLadderListCommand = (io: Io): Command =>
  new Command('list')
    .description('List the items of the ladder, or of one stage')
    .argument('[stage]', 'only this stage', parseStageOption)
    .option('--json', 'print JSON')
    .action(async (stage: LadderStage | undefined, { json }: { json?: true }) => {
      const ladder = await readLadder(await openLadder(io))
      const shown = stage === undefined ? LADDER_ORDER : [stage]
      const entries = ladder.entries.filter((each) => shown.includes(each.stage))
      const problems = ladder.problems.filter(({ file }) =>
        shown.some((each) => file.startsWith(`${LADDER_STAGES[each].folder}/`)),
      )
      if (json) printJson(io.out, { available: ladder.available, items: entries, problems })
      else io.out.write(render(entries, shown, io.out.paint))
      if (!json) warn(io, problems)
    })

const render = (
  entries: readonly LadderEntry[],
  stages: readonly LadderStage[],
  paint: Paint,
): string => {
  if (entries.length === 0) return `nothing yet: ${COMMAND} ladder add sources "what you found"\n`
  return stages
    .map((stage) => ({ stage, items: entries.filter((each) => each.stage === stage) }))
    .filter(({ items }) => items.length > 0)
    .map(({ stage, items }) => {
      const rows = items.map(({ id, title, status, from }) => [
        `  ${id}`,
        status === 'open' ? paint.green(status) : paint.dim(cleanText(status)),
        from === undefined
          ? cleanText(title)
          : `${cleanText(title)}  ${paint.dim(`from ${cleanText(from)}`)}`,
      ])
      return `${paint.bold(LADDER_STAGES[stage].folder)}\n${formatTable(rows)}`
    })
    .join('\n')
}

const warn = (io: Io, problems: Ladder['problems']): void => {
  for (const { file, reason } of problems) {
    io.err.write(
      `${io.err.paint.yellow('warning:')} ${cleanText(file)} is not an item: ${cleanText(reason)}\n`,
    )
  }
}

/** The ladder's folder from the settings. */
const openLadder = async (io: Io): Promise<string> => {
  const home = unwrap(await ensureHome(resolveHome(io.env, io.homedir)))
  const settings = unwrap(await readSettings(home))
  return resolveLadderRoot(home, settings, io.homedir)
}

const parseStageOption = (word: string): LadderStage => {
  try {
    return parseLadderStage(word)
  } catch (thrown) {
    throw new InvalidArgumentError(thrown instanceof Error ? thrown.message : String(thrown))
  }
}
