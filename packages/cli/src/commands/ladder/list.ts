import { LADDER_STAGES, type LadderStage } from '@steward/contract'
import { LADDER_ORDER, type Ladder, type LadderEntry, readLadder } from '@steward/platform'
import { Command } from 'commander'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import type { Paint } from '../../output/paint.ts'
import { printJson } from '../../output/print-json.ts'
import { formatTable } from '../../output/table.ts'
import { COMMAND } from '../../setup/command-name.ts'
import { openLadder, parseStageOption } from './open-ladder.ts'

export const createLadderListCommand = (io: Io): Command =>
  new Command('list')
    .description('Shows the ladder, or one stage of it.')
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
      `${io.err.paint.yellow('warning:')} ${cleanText(file)} is no item: ${cleanText(reason)}\n`,
    )
  }
}
