import type { LadderStage } from '@steward/contract'
import { addLadderItem } from '@steward/platform'
import { Command } from 'commander'
import { readBodyOption } from '../../input/read-body-option.ts'
import type { Io } from '../../io.ts'
import { printJson } from '../../output/print-json.ts'
import { openLadder, parseStageOption } from './open-ladder.ts'

interface AddFlags {
  from?: string
  body?: string
  json?: true
}

export const createLadderAddCommand = (io: Io): Command =>
  new Command('add')
    .description('Adds an item to a stage, with the next free id.')
    .argument(
      '<stage>',
      'sources, ideas, hypotheses, experiments, algorithms, results',
      parseStageOption,
    )
    .argument('<title>', 'what it is, in a line')
    .option('--from <id>', 'the item it grows out of')
    .option('--body <text>', 'Markdown; @file reads a file, - standard input')
    .option('--json', 'print JSON')
    .action(async (stage: LadderStage, title: string, { from, body, json }: AddFlags) => {
      const root = await openLadder(io)
      const more = { ...(from === undefined ? {} : { from }), ...(await readBodyOption(io, body)) }
      const added = await addLadderItem(root, { stage, title, ...more }, () => new Date(io.now()))
      if (json) printJson(io.out, added)
      else io.out.write(`${added.id} added: ${root}/${added.file}\n`)
    })
