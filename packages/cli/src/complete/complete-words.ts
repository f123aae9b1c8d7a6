import { PRIMITIVES, RUN_STATUSES } from '@steward/contract'
import type { Command } from 'commander'
import { COMMANDS, findCommand } from '../commands/index.ts'
import type { Io } from '../io.ts'
import { withSteward } from '../setup/open-local.ts'
import { SHELLS } from './scripts.ts'

/** What could stand in the place of the last word. */
export const completeWords = async (io: Io, words: readonly string[]): Promise<string[]> => {
  const [first = '', ...rest] = words
  const current = words.at(-1) ?? ''
  if (rest.length === 0) return startingWith(current, visibleCommands())
  const found = findCommand(first)
  if (found === undefined) return []
  const top = (await found.entry.load())(io)
  const command = descend(top, rest.slice(0, -1))
  const candidates = current.startsWith('-')
    ? optionsOf(command)
    : await argumentsOf(io, command, rest.at(-2))
  return startingWith(current, candidates)
}

const startingWith = (beginning: string, candidates: readonly string[]): string[] =>
  candidates.filter((candidate) => candidate.startsWith(beginning))

const visibleCommands = (): string[] =>
  Object.entries(COMMANDS).flatMap(([name, { hidden }]) => (hidden ? [] : [name]))

/** `runs show …` is completed as `show` is. */
const descend = (command: Command, words: readonly string[]): Command => {
  const sub = command.commands.find((candidate) => words.includes(candidate.name()))
  return sub ?? command
}

const optionsOf = (command: Command): string[] => [
  ...command.options.flatMap(({ long, hidden }) => (long && !hidden ? [long] : [])),
  '--help',
]

const argumentsOf = async (io: Io, command: Command, before: string | undefined) => {
  if (before === '--status') return [...RUN_STATUSES]
  if (command.commands.length > 0) return command.commands.map((sub) => sub.name())
  switch (command.name()) {
    case 'run':
      return namesOf(io, ['actions', 'pipelines'])
    case 'list':
      return namesOf(io, ['actions', 'pipelines', 'flows'])
    case 'trigger':
      return namesOf(io, ['flows'])
    case 'new':
      return [...PRIMITIVES]
    case 'completion':
      return [...SHELLS]
    case 'show':
    case 'resume':
    case 'rerun':
      return recentRuns(io)
    default:
      return []
  }
}

type Kind = 'actions' | 'pipelines' | 'flows'

const namesOf = (io: Io, kinds: readonly Kind[]): Promise<string[]> =>
  withSteward(io, async ({ catalog }) =>
    kinds.flatMap((kind) =>
      kind === 'flows'
        ? catalog.flows.all().map(({ flow }) => flow.name)
        : [...catalog[kind].entries().keys()],
    ),
  )

const RECENT = 50

const recentRuns = (io: Io): Promise<string[]> =>
  withSteward(io, async ({ history }) => history.list({ limit: RECENT }).map(({ id }) => id))
