import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type NamedAgentFile, renderClaudeAgent, slugOfAgent } from '@steward/agents'
import { type RelationshipRow, relationshipRow, StewardError } from '@steward/contract'
import {
  appendLogRow,
  type Home,
  readIfPresent,
  readTail,
  writeFileAtomically,
} from '@steward/platform'
import { Command, Option } from 'commander'
import { parseCount } from '../../input/option-values.ts'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { formatTime } from '../../output/format.ts'
import { printJson } from '../../output/print-json.ts'
import { formatTable } from '../../output/table.ts'
import { createAgentsListCommand } from './list.ts'
import { findAgent, openAgentsHome, readRoster, warnOf } from './roster.ts'
import { createAgentsEditCommand, createAgentsNewCommand } from './write.ts'

const HELP = `
Examples:
  steward agents new Ava --role "primary researcher" --description "Finds things out" --voice-id v-17
  steward agents                                 your named agents
  steward agents edit Ava                        edit in $EDITOR; checked before it is saved
  steward agents export --host claude            as agent files of your assistant
  steward agents log Ava "Found the missing invoice" --kind praise
  steward agents types                           the built-in subagent types

Named agents are Markdown files in USER/AGENTS of the data home (docs/agents.md). To speak with the voice
of an agent: steward voice say "Done" --agent Ava, or "agent": "Ava" in POST /notify.
`

export const createAgentsCommand = (io: Io): Command => {
  const command = new Command('agents').description('Manage your named agents')
  for (const [index, sub] of createAgentsListCommand(io).entries()) {
    command.addCommand(sub, { isDefault: index === 0 })
  }
  return command
    .addCommand(createAgentsNewCommand(io))
    .addCommand(createAgentsEditCommand(io))
    .addCommand(createAgentsExportCommand(io))
    .addCommand(createAgentsLogCommand(io))
    .addHelpText('after', HELP)
}

interface ExportFlags {
  host: string
  project?: string | true
  json?: true
}

const createAgentsExportCommand = (io: Io): Command =>
  new Command('export')
    .description('Export your named agents as agent files of an assistant')
    .argument('[name]', 'only this one')
    .option('--host <host>', 'the assistant', 'claude')
    .option('--project [directory]', 'write to this project instead of your own configuration')
    .option('--json', 'print JSON')
    .action(async (name: string | undefined, { host, project, json }: ExportFlags) => {
      const { home } = await openAgentsHome(io)
      const roster =
        name === undefined
          ? await readRoster(home)
          : { agents: [await findAgent(home, name)], problems: [] }
      warnOf(io, roster.problems)
      const where = project === true ? '.' : project
      const written = await exportAgents(io, roster.agents, host, where)
      if (json) printJson(io.out, { host, written })
      else if (written.length === 0) io.out.write('no named agents yet: steward agents new NAME\n')
      for (const { path, changed } of json ? [] : written) {
        io.out.write(`${changed ? 'written' : 'unchanged'}: ${path}\n`)
      }
    })

interface Exported {
  agent: string
  path: string
  changed: boolean
}

/** Marks files written here, so that others are left alone. */
const MARK = 'Steward daemon with'

/** Writes named agents as agent files of a host, for a project or for the person. */
const exportAgents = async (
  io: Io,
  agents: readonly NamedAgentFile[],
  host: string,
  project: string | undefined,
): Promise<Exported[]> => {
  if (host !== 'claude') {
    const reason =
      'agent files are only supported for claude; for other hosts use the text of `steward agents show`'
    throw new StewardError('not_available', { subject: `agent files for ${host}`, reason })
  }
  const root = project === undefined ? io.homedir : resolve(io.cwd, project)
  const configured = project === undefined ? io.env.CLAUDE_CONFIG_DIR : undefined
  const folder = join(configured ?? join(root, '.claude'), 'agents')
  await mkdir(folder, { recursive: true })
  const written: Exported[] = []
  for (const file of agents) {
    const path = join(folder, `${slugOfAgent(file.agent.name)}.md`)
    const text = renderClaudeAgent(file)
    const known = await readIfPresent(path)
    if (known !== undefined && known !== text && !known.includes(MARK)) {
      const reason = 'an agent file of another origin exists; move it, or rename your agent'
      throw new StewardError('path_refused', { path, reason })
    }
    if (known !== text) await writeFileAtomically(path, text, { mode: 0o644 })
    written.push({ agent: file.agent.name, path, changed: known !== text })
  }
  return written
}

const KINDS = ['note', 'work', 'praise', 'complaint'] as const

interface LogFlags {
  kind: (typeof KINDS)[number]
  limit: number
  json?: true
}

const createAgentsLogCommand = (io: Io): Command =>
  new Command('log')
    .description('Show or extend the relationship log of an agent')
    .argument('<name>', 'the agent')
    .argument('[text]', 'the entry to add')
    .addOption(new Option('--kind <kind>', 'kind of entry').choices(KINDS).default('note'))
    .option('--limit <n>', 'maximum number of rows', parseCount, 20)
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

const pathOf = (home: Home, name: string): string =>
  join(home.memory, 'RELATIONSHIPS', `${slugOfAgent(name)}.jsonl`)

/** Appends a row to the relationship log; rows are never changed. */
const addToLog = (home: Home, row: RelationshipRow): void => {
  appendLogRow(pathOf(home, row.agent), row)
}

/** The last rows, oldest first. Invalid rows are counted, not shown. */
const readLog = async (
  home: Home,
  name: string,
  limit: number,
): Promise<{ rows: RelationshipRow[]; unreadable: number }> => {
  const { rows } = await readTail(pathOf(home, name), { rows: limit })
  const parsed = rows.map(({ row }) => relationshipRow.safeParse(row))
  return {
    rows: parsed.flatMap((each) => (each.success ? [each.data] : [])),
    unreadable: parsed.filter(({ success }) => !success).length,
  }
}
