import { StewardError } from '@steward/contract'
import {
  deployedWorkers,
  describeTailEvent,
  followLogs,
  openPlatform,
  type PlatformApi,
  type StoredLogEvent,
  shortOf,
} from '@steward/edge/deploy'
import { Command } from 'commander'
import { parseCount } from '../../input/option-values.ts'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { formatTime } from '../../output/format.ts'
import { printJson } from '../../output/print-json.ts'

interface LogsFlags {
  follow?: true
  limit: number
  minutes: number
  json?: true
}

const HELP = `
Without --follow, the stored logs of the last hour are shown. If wrangler's login may not read them,
set STEWARD_CF_TOKEN to a token with the permission "Workers Observability: Read".
With --follow, new log lines are shown as they arrive, until ^C.
`

const DEFAULT_LIMIT = 100
const DEFAULT_MINUTES = 60

export const createWorkersLogsCommand = (io: Io): Command =>
  new Command('logs')
    .description('Show logs of deployed workers')
    .argument('[name]', 'name of a worker (default: all)')
    .option('-f, --follow', 'show new lines as they arrive')
    .option(
      '--limit <count>',
      'maximum number of lines, the latest ones',
      parseCount,
      DEFAULT_LIMIT,
    )
    .option('--minutes <count>', 'period to show, in minutes', parseCount, DEFAULT_MINUTES)
    .option('--json', 'print one JSON object per line')
    .addHelpText('after', HELP)
    .action(async (word: string | undefined, flags: LogsFlags) => {
      const { api } = await openPlatform(io)
      const worker = word === undefined ? undefined : `exec-${shortOf(word)}`
      await (flags.follow ? follow(io, api, worker, flags) : showStored(io, api, worker, flags))
    })

const showStored = async (
  io: Io,
  api: PlatformApi,
  worker: string | undefined,
  { limit, minutes, json }: LogsFlags,
): Promise<void> => {
  const to = io.now()
  const events = await api
    .queryLogs(worker, { from: to - minutes * 60_000, to }, limit)
    .catch((thrown: unknown) => {
      if (!(thrown instanceof StewardError) || thrown.code !== 'not_configured') throw thrown
      const reason = `this login may not read stored logs: use --follow, or STEWARD_CF_TOKEN with the permission "Workers Observability: Read" (${thrown.message})`
      throw new StewardError('not_configured', { subject: 'reading logs', reason }, thrown)
    })
  for (const event of events.toSorted((a, b) => a.timestamp - b.timestamp)) {
    if (json) printJson(io.out, event)
    else io.out.write(`${renderStored(event)}\n`)
  }
  if (events.length === 0) io.err.write(`nothing was logged in the last ${minutes} minutes\n`)
}

const renderStored = ({ timestamp, source, $metadata }: StoredLogEvent): string => {
  const { level, message, error, service } = $metadata
  const text = message ?? error ?? (typeof source === 'string' ? source : JSON.stringify(source))
  const time = formatTime(new Date(timestamp).toISOString())
  return cleanText([time, service, level, text].filter((part) => part !== undefined).join('  '))
}

const follow = async (
  io: Io,
  api: PlatformApi,
  worker: string | undefined,
  { json }: LogsFlags,
): Promise<void> => {
  const workers = worker === undefined ? await deployedWorkers(api) : [worker]
  const ports = {
    api,
    webSocket: (url: string, protocol: string) => new WebSocket(url, protocol),
    signal: io.signal,
    onOpen: (name: string) => io.err.write(`following ${name} (press ^C to stop)\n`),
    onEvent: (name: string, event: Record<string, unknown>) => {
      if (json) return printJson(io.out, { worker: name, ...event })
      const [first = '', ...rest] = describeTailEvent(event)
      const time = formatTime(new Date(io.now()).toISOString())
      io.out.write(`${[`${time}  ${name}  ${first}`, ...rest].map(cleanText).join('\n')}\n`)
    },
  }
  await Promise.all(workers.map((name) => followLogs(ports, name)))
}
