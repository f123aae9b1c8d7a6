import type { LadderStage } from '@steward/contract'
import { promoteLadderItem } from '@steward/platform'
import { Command } from 'commander'
import { readBodyOption } from '../../input/read-body-option.ts'
import type { Io } from '../../io.ts'
import { printJson } from '../../output/print-json.ts'
import { openLadder, parseStageOption } from './open-ladder.ts'

interface PromoteFlags {
  to?: LadderStage
  title?: string
  body?: string
  json?: true
}

export const createLadderPromoteCommand = (io: Io): Command =>
  new Command('promote')
    .description('Makes an item of the next stage out of one, and marks the old one promoted.')
    .argument('<id>', 'such as SR-001')
    .option('--to <stage>', 'a later stage than the next', parseStageOption)
    .option('--title <title>', 'of the new item; the old one’s unless given')
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
