import { Command, Option } from 'commander'
import { parseCount } from '../../input/parse-count.ts'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { formatTime } from '../../output/format.ts'
import { printJson } from '../../output/print-json.ts'
import { formatTable } from '../../output/table.ts'
import { addToLog, readLog } from './relationship-log.ts'
import { findAgent, openAgentsHome } from './roster.ts'

const KINDS = ['note', 'work', 'praise', 'complaint'] as const

interface LogFlags {
  kind: (typeof KINDS)[number]
  limit: number
  json?: true
}

export const createAgentsLogCommand = (io: Io): Command =>
  new Command('log')
    .description('What there is between you and an agent: shows it, or adds to it.')
    .argument('<name>', 'the agent')
    .argument('[text]', 'what to add')
    .addOption(new Option('--kind <kind>', 'what it is').choices(KINDS).default('note'))
    .option('--limit <n>', 'how many rows are shown', parseCount, 20)
    .option('--json', 'print JSON')
    .action(async (name: string, text: string | undefined, { kind, limit, json }: LogFlags) => {
      const { home } = await openAgentsHome(io)
      const { agent } = await findAgent(home, name)
      if (text !== undefined) {
        const row = { timestamp: new Date(io.now()).toISOString(), agent: agent.name, kind, text }
        addToLog(home, row)
        if (json) printJson(io.out, row)
        else io.out.write('noted\n')
        return
      }
      const { rows, unreadable } = await readLog(home, agent.name, limit)
      if (json) {
        printJson(io.out, { agent: agent.name, rows, unreadable })
        return
      }
      const shown = rows.map((row) => [formatTime(row.timestamp), row.kind, cleanText(row.text)])
      io.out.write(shown.length > 0 ? formatTable(shown) : 'nothing yet\n')
      if (unreadable > 0) io.err.write(`${unreadable} rows could not be read\n`)
    })
