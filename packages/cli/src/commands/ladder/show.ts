import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findLadderEntry, readLadder } from '@steward/platform'
import { Command } from 'commander'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { printJson } from '../../output/print-json.ts'
import { openLadder } from './open-ladder.ts'

export const createLadderShowCommand = (io: Io): Command =>
  new Command('show')
    .description('Prints one item, and what it led to.')
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
