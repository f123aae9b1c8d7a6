import { resolve } from 'node:path'
import {
  type DaemonClient,
  type DrivenSession,
  SESSION_STATUSES,
  type SessionDetail,
  type SessionStatus,
  type SessionSummary,
  StewardError,
  type StewardEvent,
} from '@steward/contract'
import { indexSessions } from '@steward/daemon'
import { resolveHome } from '@steward/platform'
import { Command, Option } from 'commander'
import { parseCount } from '../../input/option-values.ts'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { countOf } from '../../output/count-of.ts'
import { formatTime } from '../../output/format.ts'
import type { Paint } from '../../output/paint.ts'
import { printJson } from '../../output/print-json.ts'
import { formatTable } from '../../output/table.ts'
import { createAttachCommand, describeDriven } from './attach.ts'
import { createCompareCommand } from './compare.ts'
import { createDiffCommand } from './diff.ts'
import { renderSpend } from './render-spend.ts'
import { createSendCommand, createStopCommand } from './send.ts'
import { ID_CHARS, openSessionsClient } from './sessions-client.ts'
import { createSetupCommand } from './setup.ts'
import { createStartCommand } from './start.ts'

const HELP = `
Examples:
  steward sessions                        the sessions that were active last
  steward sessions --status waiting       those that wait for you
  steward sessions --project . --limit 5  the last five of this folder
  steward sessions show last              the timeline of the latest one
  steward sessions show 8fb4b951          by the beginning of its id
  steward sessions start --assistant claude --worktree "update the dependencies"
  steward sessions send last "now the tests"
  steward sessions stop 8fb4b951
  steward sessions compare --assistant claude --assistant codex "fix the failing test"
`

export const createSessionsCommand = (io: Io): Command =>
  new Command('sessions')
    .description('List, start and steer sessions of assistants')
    .addCommand(createListCommand(io), { isDefault: true })
    .addCommand(createShowCommand(io))
    .addCommand(createStartCommand(io))
    .addCommand(createSendCommand(io))
    .addCommand(createAttachCommand(io))
    .addCommand(createStopCommand(io))
    .addCommand(createDiffCommand(io))
    .addCommand(createCompareCommand(io))
    .addCommand(createSetupCommand(io))
    .addCommand(createIndexCommand(io), { hidden: true })
    .addHelpText('after', HELP)

/** The daemon runs it when the logs are large. */
const createIndexCommand = (io: Io): Command =>
  new Command('index')
    .description('Read the logs into the list of sessions')
    .action(() => indexSessions(resolveHome(io.env, io.homedir)))

interface ListFlags {
  limit: number
  status?: SessionStatus
  host?: string
  project?: string
  search?: string
  before?: string
  json?: true
}

const createListCommand = (io: Io): Command =>
  new Command('list')
    .description('List sessions, the last active first')
    .option('--limit <count>', 'maximum number of entries', parseCount, 20)
    .addOption(new Option('--status <status>', 'only in this state').choices(SESSION_STATUSES))
    .option('--host <assistant>', 'only of this assistant')
    .option('--project <folder>', 'only in this folder or below')
    .option('--search <text>', 'only with this text in name, folder or last answer')
    .option('--before <cursor>', 'the page after this one')
    .option('--json', 'print JSON')
    .action(async ({ json, search, project, limit, ...flags }: ListFlags) => {
      const page = await (await openSessionsClient(io)).call('listSessions', {
        query: {
          ...flags,
          limit: Math.min(limit, 200),
          ...(search === undefined ? {} : { q: search }),
          ...(project === undefined ? {} : { project: resolve(io.cwd, project) }),
        },
      })
      if (json) return printJson(io.out, page)
      io.out.write(renderSessions(page.sessions, io.out.paint))
      if (page.next !== null) {
        const total = `${page.total}${page.atLeast ? ' or more' : ''}`
        io.err.write(`${total} in all; next: --before ${page.next}\n`)
      }
      if (page.indexing) io.err.write('The logs are still being read; the list is not complete.\n')
    })

const renderSessions = (sessions: readonly SessionSummary[], paint: Paint): string => {
  if (sessions.length === 0) return 'no sessions\n'
  const rows = sessions.map(({ id, status, name, host, machine, lastActivityAt, project }) => [
    id.slice(0, ID_CHARS),
    status,
    cleanText(name),
    machine === null ? host : `on ${cleanText(machine)}`,
    formatTime(lastActivityAt),
    cleanText(project ?? ''),
  ])
  const head = ['session', 'status', 'name', 'assistant', 'last active', 'folder'].map(paint.dim)
  return formatTable([head, ...rows])
}

interface ShowFlags {
  limit: number
  json?: true
}

const createShowCommand = (io: Io): Command =>
  new Command('show')
    .description('Show the timeline of a session')
    .argument('<id>', 'the session: last, its id, or the beginning of its id')
    .option('--limit <count>', 'number of latest events', parseCount, 50)
    .option('--json', 'print JSON')
    .action(async (id: string, { limit, json }: ShowFlags) => {
      const client = await openSessionsClient(io)
      const detail = await client.call('getSession', {
        params: { id },
        query: { limit: Math.min(limit, 500) },
      })
      const driven = await findDriven(client, detail.session.id)
      if (json) return printJson(io.out, driven === undefined ? detail : { ...detail, driven })
      io.out.write(renderDetail(detail, io.out.paint))
      if (driven !== undefined) io.out.write(renderDriven(driven))
    })

/** What Steward knows of a session that it started. */
const findDriven = async (client: DaemonClient, id: string): Promise<DrivenSession | undefined> => {
  try {
    return await client.call('getDrivenSession', { params: { id } })
  } catch (thrown) {
    if (thrown instanceof StewardError && thrown.code === 'session_not_driven') return undefined
    throw thrown
  }
}

const renderDriven = (driven: DrivenSession): string => {
  const { diffStat, check } = driven.result ?? {}
  const failed = check?.ok === false ? check.output : ''
  const lines = [`started by Steward · ${describeDriven(driven)}`, diffStat ?? '', failed]
  return `\n${lines.filter(Boolean).join('\n').split('\n').map(cleanText).join('\n')}\n`
}

const renderDetail = ({ session, work, usage, events }: SessionDetail, paint: Paint): string => {
  const { name, id, status, host, project, prompts, toolCalls, failures, subagents } = session
  // An assistant's own records of usage count none of these.
  const isCounted = session.startSource !== 'records' || prompts + toolCalls > 0
  const counts = isCounted
    ? `${countOf(prompts, 'prompt')}, ${countOf(toolCalls, 'tool call')}, ${failures} failed, ${countOf(subagents, 'subagent')}`
    : 'from its own records'
  const facts = [host, project ?? '', status, counts].filter(Boolean).join(' · ')
  const phases = work.flatMap(({ phaseHistory, progress }) =>
    phaseHistory.length === 0
      ? []
      : [
          `${phaseHistory.map(({ phase }) => phase).join(' → ')}  ${progress.done}/${progress.total} criteria\n`,
        ],
  )
  const rows = events
    .toReversed()
    .map((event) => [formatTime(event.timestamp), event.type, cleanText(describeEvent(event))])
  return [
    `${paint.bold(cleanText(name))}  ${paint.dim(id)}\n${cleanText(facts)}\n`,
    ...phases,
    usage === null ? '' : `\n${renderSpend(usage, paint)}`,
    '\n',
    rows.length === 0 ? 'no events here\n' : formatTable(rows),
  ].join('')
}

const SHOWN_CHARS = 100
const TOLD = [
  'spoken_line',
  'prompt',
  'message_preview',
  'error',
  'message',
  'description',
] as const

const describeEvent = (event: StewardEvent): string => {
  const told = [...TOLD, 'tool_input_preview'].map((field) => event[field]).find(isText) ?? ''
  const tool = isText(event.tool_name) ? `${event.tool_name} ` : ''
  return [...`${tool}${told}`.replaceAll(/\s+/g, ' ')].slice(0, SHOWN_CHARS).join('')
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
