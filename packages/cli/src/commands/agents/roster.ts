import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type NamedAgentFile,
  openRouting,
  parseNamedAgent,
  type Routing,
  slugOfAgent,
} from '@steward/agents'
import { nearestHint, type Settings, StewardError, unwrap } from '@steward/contract'
import {
  ensureHome,
  type Home,
  isMissing,
  readSettings,
  readTextFiles,
  resolveHome,
} from '@steward/platform'
import type { Io } from '../../io.ts'

export interface Roster {
  agents: (NamedAgentFile & { path: string })[]
  /** Files that are not agents, with the reason. */
  problems: string[]
}

export const openAgentsHome = async (io: Io): Promise<{ home: Home; settings: Settings }> => {
  const home = unwrap(await ensureHome(resolveHome(io.env, io.homedir)))
  const settings = unwrap(await readSettings(home))
  return { home: home, settings: settings }
}

/** The person's named agents: `USER/AGENTS/*.md`. */
export const readRoster = async (home: Home): Promise<Roster> => {
  const roster: Roster = { agents: [], problems: [] }
  for (const { path, text } of await readTextFiles(home.user.agents, '.md')) {
    const parsed = parseNamedAgent(text, path)
    if (parsed.ok) roster.agents.push({ ...parsed.value, path })
    else roster.problems.push(parsed.error.message)
  }
  return roster
}

/** Finds an agent by name in any case, or by file name. */
export const findAgent = async (home: Home, name: string): Promise<Roster['agents'][number]> => {
  const { agents, problems } = await readRoster(home)
  const slug = slugOfAgent(name)
  const found = agents.find(
    ({ agent }) =>
      slugOfAgent(agent.name) === slug ||
      agent.aliases.some((alias) => slugOfAgent(alias) === slug),
  )
  if (found !== undefined) return found
  const [broken] = problems.filter((problem) => problem.includes(`${slug}.md`))
  if (broken !== undefined) {
    throw new StewardError('invalid_definition', { file: `${slug}.md`, reason: broken })
  }
  const hint = nearestHint(
    name,
    agents.map(({ agent }) => agent.name),
  )
  throw new StewardError('not_found', { what: 'agent', name, hint })
}

/** The routing table, including the person's `routing.yaml` if present. */
export const readRouting = async (home: Home): Promise<Routing> => {
  const file = join(home.user.agents, 'routing.yaml')
  const text = await readFile(file, 'utf8').catch((thrown: unknown) => {
    if (isMissing(thrown)) return undefined
    throw new StewardError('path_refused', { path: file, reason: String(thrown) }, thrown)
  })
  const opened = unwrap(openRouting(text, file))
  return opened
}

export const warnOf = (io: Io, problems: readonly string[]): void => {
  for (const problem of problems) {
    io.err.write(`${io.err.paint.yellow('warning:')} ${problem}\n`)
  }
}
