import { slugOfAgent } from '@steward/agents'
import { PRIMITIVES } from '@steward/contract'
import { LATEST_RUN } from '@steward/runner'
import { Command } from 'commander'
import type { Io } from '../../io.ts'
import { withLocalRuntime } from '../../local-runtime/open-local.ts'
import { type CommandTable, findIn } from '../command-table.ts'
import { SHELLS } from '../completion/completion.ts'
import { type Kind, listNames } from '../list/list.ts'
import { endOfRunId } from '../runs/render-runs.ts'

/** Called by the completion scripts; the last word is the incomplete one. */
export const createCompleteCommand =
  (table: CommandTable) =>
  (io: Io): Command =>
    new Command('__complete')
      .argument('[words...]')
      .allowUnknownOption()
      .action(async (words: string[]) => {
        const candidates = await completeWords(io, words, table)
        io.out.write(candidates.map((candidate) => `${candidate}\n`).join(''))
      })

/** Candidates for the last word. */
const completeWords = async (
  io: Io,
  words: readonly string[],
  table: CommandTable,
): Promise<string[]> => {
  const [first = '', ...rest] = words
  const current = words.at(-1) ?? ''
  if (rest.length === 0) return startingWith(current, visibleCommands(table))
  const found = findIn(table, first)
  if (found === undefined) return []
  const top = (await found.entry.load())(io)
  const before = rest.slice(0, -1)
  const command = descend(top, before)
  return startingWith(current, await candidatesOf(io, command, before.at(-1), current))
}

const candidatesOf = async (
  io: Io,
  command: Command,
  before: string | undefined,
  current: string,
): Promise<readonly string[]> => {
  if (current.startsWith('-')) return optionsOf(command)
  // Options of the default subcommand count too: `runs --status` is `runs list --status`.
  const option = [command, ...command.commands]
    .flatMap(({ options }) => options)
    .find(({ long, short }) => before !== undefined && [long, short].includes(before))
  if (option?.argChoices !== undefined) return option.argChoices
  return argumentsOf(io, command, current)
}

const startingWith = (beginning: string, candidates: readonly string[]): string[] =>
  candidates.filter((candidate) => candidate.startsWith(beginning))

const visibleCommands = (table: CommandTable): string[] =>
  Object.entries(table).flatMap(([name, { hidden }]) => (hidden ? [] : [name]))

/** The command named by the words before the current one: `runs show`, or only `runs`. */
const descend = (command: Command, words: readonly string[]): Command => {
  const [word, ...rest] = words
  if (word === undefined) return command
  const sub = command.commands.find((candidate) => candidate.name() === word)
  return descend(sub ?? command, rest)
}

/** The full path distinguishes subcommands of the same name: `runs show`, `knowledge show`. */
const pathOf = (command: Command): string =>
  command.parent === null ? command.name() : `${command.parent.name()} ${command.name()}`

const optionsOf = (command: Command): string[] => [
  ...command.options.flatMap(({ long, hidden }) => (long && !hidden ? [long] : [])),
  '--help',
]

/** Without hidden ones, and without the `help` that commander adds. */
const subcommandsOf = (command: Command): string[] =>
  command
    .createHelp()
    .visibleCommands(command)
    .flatMap((sub) => (command.commands.includes(sub) ? [sub.name()] : []))

const argumentsOf = async (io: Io, command: Command, current: string): Promise<string[]> => {
  if (command.commands.length > 0) return subcommandsOf(command)
  switch (pathOf(command)) {
    case 'run':
      return namesOf(io, ['actions', 'pipelines'])
    case 'list':
      return namesOf(io, ['actions', 'pipelines', 'flows'])
    case 'trigger':
    case 'flows items':
    case 'flows retry':
    case 'flows cost':
    case 'webhooks test':
      return namesOf(io, ['flows'])
    case 'agents show':
    case 'agents edit':
    case 'agents export':
    case 'agents log':
      return agentNames(io)
    case 'knowledge show':
    case 'knowledge edit':
    case 'knowledge rename':
    case 'knowledge remove':
      return noteKeys(io)
    case 'new':
      return [...PRIMITIVES]
    case 'completion':
      return [...SHELLS]
    case 'runs show':
    case 'runs resume':
    case 'runs cancel':
    case 'rerun':
      return recentRuns(io, current)
    default:
      return []
  }
}

const namesOf = (io: Io, kinds: readonly Kind[]): Promise<string[]> =>
  withLocalRuntime(io, async ({ catalog }) => listNames(catalog, kinds))

const noteKeys = async (io: Io): Promise<string[]> => {
  const { openKnowledge } = await import('../knowledge/open-knowledge.ts')
  const { loaded } = await openKnowledge(io)
  return loaded.index.notes().map(({ domain, slug }) => `${domain}/${slug}`)
}

/** By file names, because names of agents may contain spaces. */
const agentNames = async (io: Io): Promise<string[]> => {
  const { openAgentsHome, readRoster } = await import('../agents/roster.ts')
  const { home } = await openAgentsHome(io)
  const { agents } = await readRoster(home)
  return agents.map(({ agent }) => slugOfAgent(agent.name))
}

const RECENT = 50

/** `last` and the ends of ids, as `steward runs` prints them; whole ids once one was started. */
const recentRuns = (io: Io, current: string): Promise<string[]> =>
  withLocalRuntime(io, async ({ history }) => {
    const ids = history.list({ limit: RECENT }).map(({ id }) => id)
    return [LATEST_RUN, ...ids.map(endOfRunId), ...(current === '' ? [] : ids)]
  })
