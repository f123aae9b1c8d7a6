import type { SecurityEvent } from '@steward/contract'
import { readSecurityEvents } from '@steward/platform'
import { Command } from 'commander'
import { parseCount } from '../../input/option-values.ts'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { printJson } from '../../output/print-json.ts'
import { formatTable } from '../../output/table.ts'
import { openSecurity } from './open-security.ts'
import { paintVerdict } from './paint-verdict.ts'

const SHOWN_CHARS = 60

export const createSecurityEventsCommand = (io: Io): Command =>
  new Command('events')
    .description('List the decisions of the guards, newest first')
    .option('--limit <number>', 'maximum number of entries', parseCount, 30)
    .option('--before <id>', 'only events before this one')
    .option('--json', 'print JSON')
    .action(async ({ limit, before, json }: { limit: number; before?: string; json?: true }) => {
      const { home, ports } = await openSecurity(io)
      const query = { limit, ...(before === undefined ? {} : { before }) }
      const { events, more } = await readSecurityEvents(home, query, ports.redactor)
      if (json)
        return printJson(io.out, { events, next: more ? (events.at(-1)?.id ?? null) : null })
      io.out.write(events.length === 0 ? 'nothing yet\n' : formatTable(events.map(rowOf(io))))
      if (more) io.out.write(`older ones: --before ${events.at(-1)?.id}\n`)
    })

const rowOf =
  ({ out: { paint } }: Io) =>
  ({ timestamp, verdict, shadow, host, tool, target, rule, reason }: SecurityEvent): string[] => [
    paint.dim(cleanText(timestamp)),
    shadow ? paint.dim(`(${verdict})`) : paintVerdict(verdict, paint),
    cleanText([host, tool].filter((word) => word !== '').join(' ')),
    cleanText(target).slice(0, SHOWN_CHARS),
    paint.dim(
      cleanText([rule, reason].filter((word) => word !== '').join(': ')).slice(0, SHOWN_CHARS),
    ),
  ]
